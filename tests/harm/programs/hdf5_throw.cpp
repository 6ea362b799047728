// SPDX-License-Identifier: GPL-2.0-only
/* Functions that HDF5 calls for each error and each link throw through it. */
#include <hdf5.h>
#include <stdexcept>

#include "harm.h"

static herr_t on_error(unsigned, const H5E_error2_t *, void *)
{
	throw std::runtime_error("error");
}

int main()
{
	int caught = 0;

	H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
	for (int i = 0; i < 20; i++) {
		H5Fopen("/there/is/no/such/file", H5F_ACC_RDONLY, H5P_DEFAULT);
		hid_t errors = H5Eget_current_stack();
		try {
			H5Ewalk2(errors, H5E_WALK_DOWNWARD, on_error, nullptr);
		} catch (const std::exception &) {
			caught++;
		}
		H5Eclose_stack(errors);
	}
	printf("caught %d\n", caught);
	printf("calls H5Ewalk2 20\n");
	return 0;
}
