/* SPDX-License-Identifier: GPL-2.0-only */
/* An HDF5 file with one dataset for the tools to read: real_hdf5 FILE */
#include <hdf5.h>
#include <stdlib.h>

enum { N = 200000 };

int main(int argc, char **argv)
{
	hsize_t size = N;
	int *data = calloc(N, sizeof(int));
	hid_t file, space, set;

	if (argc < 2 || !data)
		return 1;
	file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	space = H5Screate_simple(1, &size, NULL);
	set = H5Dcreate2(file, "data", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT,
			 H5P_DEFAULT);
	if (H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
		return 1;
	H5Dclose(set);
	H5Sclose(space);
	free(data);
	return H5Fclose(file) < 0;
}
