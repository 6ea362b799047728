// SPDX-License-Identifier: GPL-2.0-only
/* The catalogue files that come with the program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "catalogue_sample.h"

/* What the shipped files must say of some functions; "" as pattern: not to be found. */
struct shipped {
	const char *layer, *soname, *symbol, *name;
	bool enabled;
	int size, object, access;
};

static const struct shipped shipped[] = {
	{ "mstro", "libmaestro.so.0", "mstro_cdo_declare", "mstro_cdo_declare", true, TM_SIZE_NONE,
	  TM_OBJECT_STRING },
	{ "mstro", "libmaestro.so.0", "mstro_cdo_access_ptr", "mstro_cdo_access_ptr", true,
	  TM_SIZE_AFTER, TM_OBJECT_HANDLE },
	{ "mstro", "libmaestro.so.0", "mstro_new_call", "mstro_*", true, 0, 0 },
	{ "mstro", "libmaestro.so.0", "mstro_clock", "mstro_clock", false, 0, 0 },
	{ "mstro", "libmaestro.so.0", "mamba_init", "", false, 0, 0 },
	{ "mio", "libmio.so.0", "mio_obj_writev", "mio_obj_writev", true, TM_SIZE_SUM,
	  TM_OBJECT_U128, TM_ACCESS_WRITE },
	{ "mio", "libmio.so.0", "mio_kvs_pair_put", "mio_kvs_pair_put", true, TM_SIZE_SUM,
	  TM_OBJECT_U128, TM_ACCESS_WRITE },
	{ "mio", "libmio.so.0", "mio_hint_add", "mio_hint_*", false, 0, 0 },
	{ "mio", "libmio.so.0", "mio_driver_op_add", "mio_driver_op_add", true, 0,
	  TM_OBJECT_VALUE },
	{ "mio", "libmio.so.0", "mio_instance_check", "mio_*", false, 0, 0 },
	{ "m0", "libmotr.so.2", "m0_obj_op", "m0_obj_op", true, TM_SIZE_SUM, TM_OBJECT_U128 },
	{ "m0", "libmotr.so.2", "m0_addb2_push", "", false, 0, 0 },
	{ "m0", "libmotr.so.2", "m0_fid_set", "", false, 0, 0 },
	{ "addb", "libmotr.so.2", "m0_addb2_push", "m0_addb2_push", true, TM_SIZE_PRODUCT,
	  TM_OBJECT_VALUE },
	{ "addb", "libmotr.so.2", "m0_addb2_cursor_next", "m0_addb2_*", false, 0, 0 },
	{ "mpi", "libmpi.so.40", "MPI_File_write_at_all", "MPI_File_write_at_all", true,
	  TM_SIZE_PRODUCT, TM_OBJECT_VALUE, TM_ACCESS_WRITE },
	{ "mpi", "libmpich.so.12", "MPI_File_write_at_all", "MPI_File_*", true, TM_SIZE_NONE,
	  TM_OBJECT_VALUE },
	{ "mpi", "libmpi.so.12", "MPI_Send", "MPI_[A-Z][a-z]*", true, TM_SIZE_NONE, 0 },
	{ "mpi", "libmpi.so.40", "MPI_File_sync", "MPI_File_*", true, 0, TM_OBJECT_VALUE },
	{ "mpi", "libmpi.so.40", "MPI_File_c2f", "MPI_*_c2f", false, 0, 0 },
	{ "mpi", "libmpi.so.40", "MPI_T_init_thread", "", false, 0, 0 },
	{ "hdf5", "libhdf5_serial.so.103", "H5Fopen", "H5Fopen", true, 0, TM_OBJECT_STRING },
	{ "hdf5", "libhdf5_serial.so.103", "H5Dread", "H5Dread", true, 0, TM_OBJECT_VALUE,
	  TM_ACCESS_READ },
	{ "hdf5", "libhdf5_serial.so.103", "H5Dflush", "H5[A-Z][a-z]*", true, 0, TM_OBJECT_VALUE },
	{ "mio", "libmio.so.0", "mio_obj_readv", "mio_obj_readv", true, TM_SIZE_SUM, TM_OBJECT_U128,
	  TM_ACCESS_READ },
	{ "hdf5", "libhdf5_serial.so.103", "H5Dwrite_chunk", "H5Dwrite_chunk", true, TM_SIZE_VALUE,
	  TM_OBJECT_VALUE, TM_ACCESS_WRITE },
	{ "hdf5", "libhdf5_serial.so.103", "H5Pset_chunk", "H5[EIPSTZ][a-z]*", false, 0, 0 },
	{ "hdf5", "libhdf5_serial.so.103", "H5open", "H5[a-z]*", false, 0, 0 },
	{ "hdf5", "libhdf5_serial.so.103", "H5D__read", "", false, 0, 0 },
	{ "hdf5", "libhdf5_serial.so.103", "H5FD_read", "", false, 0, 0 },
	{ "hdf5", "libhdf5_serial.so.103", "H5F_open", "", false, 0, 0 },
};

static void check_shipped(const struct catalogue *cat, const struct shipped *s)
{
	const struct catalogue_layer *layer =
		catalogue__layer(cat, (size_t)catalogue__find_layer(cat, s->layer));
	const struct catalogue_function *function;

	assert_true(catalogue__matches(layer, s->soname));
	function = catalogue__find_function(layer, s->soname, s->symbol);
	if (!*s->name) {
		assert_null(function);
		return;
	}
	assert_non_null(function);
	assert_string_equal(function->name, s->name);
	assert_int_equal(function->enabled, s->enabled);
	assert_int_equal(function->spec.size.kind, s->size);
	assert_int_equal(function->spec.object.kind, s->object);
	assert_int_equal(function->spec.access, s->access);
}

static void test_shipped(void **state)
{
	static const char *const not_hdf5[] = { "libhdf5_serial_hl.so.100",
						"libhdf5_serial_cpp.so.103", "libhdf5_cpp.so.103",
						"libhdf5.so.10" };
	struct catalogue *cat = load_path(source_path("probes"));
	const struct catalogue_layer *hdf5;
	int i;

	(void)state;
	assert_true(catalogue__n_layers(cat) >= 6);
	for (size_t k = 0; k < sizeof(shipped) / sizeof(shipped[0]); k++)
		check_shipped(cat, &shipped[k]);
	i = catalogue__find_layer(cat, "hdf5");
	assert_true(i >= 0);
	hdf5 = catalogue__layer(cat, (size_t)i);
	for (size_t k = 0; k < sizeof(not_hdf5) / sizeof(not_hdf5[0]); k++)
		assert_false(catalogue__matches(hdf5, not_hdf5[k]));
	catalogue__free(cat);
}

/* In brief: what tells ADDB2's records, and with single records what they need. */
static void test_brief(void **state)
{
	static const struct {
		const char *layer, *symbol;
		enum catalogue_brief brief, one_by_one;
	} wanted[] = {
		{ "addb", "m0_addb2_consume", CATALOGUE_COUNTED, CATALOGUE_COUNTED },
		{ "addb", "m0_addb2_counter_mod_with", CATALOGUE_COUNTED, CATALOGUE_COUNTED },
		{ "addb", "m0_addb2_add", CATALOGUE_LEFT_OUT, CATALOGUE_FULL },
		{ "addb", "m0_addb2_push", CATALOGUE_LEFT_OUT, CATALOGUE_COUNTED },
		{ "addb", "m0_addb2_hist_mod", CATALOGUE_LEFT_OUT, CATALOGUE_LEFT_OUT },
		{ "m0", "m0_op_launch", CATALOGUE_FULL, CATALOGUE_FULL },
	};
	struct catalogue *cat = load_path(source_path("probes"));

	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		const struct catalogue_layer *layer =
			catalogue__layer(cat, (size_t)catalogue__find_layer(cat, wanted[i].layer));
		const struct catalogue_function *function =
			catalogue__find_function(layer, "libmotr.so.2", wanted[i].symbol);

		assert_non_null(function);
		assert_int_equal(catalogue__brief(function, false, false), wanted[i].brief);
		assert_int_equal(catalogue__brief(function, false, true), wanted[i].one_by_one);
		assert_int_equal(catalogue__brief(function, true, false), CATALOGUE_FULL);
	}
	catalogue__free(cat);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shipped),
		cmocka_unit_test(test_brief),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
