// SPDX-License-Identifier: GPL-2.0-only
/* A reduction operator and an error handler of MPI throw through the functions that call them. */
#include <mpi.h>
#include <stdexcept>

#include "harm.h"

static void reduce(void *, void *, int *, MPI_Datatype *)
{
	throw std::runtime_error("reduction");
}

static void on_error(MPI_Comm *, int *, ...)
{
	throw std::runtime_error("error handler");
}

int main(int argc, char **argv)
{
	MPI_Errhandler handler;
	MPI_Op op;
	int caught = 0, in = 1, out = 2;

	MPI_Init(&argc, &argv);
	MPI_Op_create(reduce, 1, &op);
	MPI_Comm_create_errhandler(on_error, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	for (int i = 0; i < 20; i++) {
		try {
			MPI_Reduce_local(&in, &out, 1, MPI_INT, op);
		} catch (const std::exception &) {
			caught++;
		}
		try {
			MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
		} catch (const std::exception &) {
			caught++;
		}
	}
	MPI_Finalize();
	printf("caught %d\n", caught);
	printf("calls MPI_Reduce_local 20 MPI_Comm_call_errhandler 20\n");
	return 0;
}
