/* SPDX-License-Identifier: GPL-2.0-only */
/* An MPI-IO program with known numbers of calls and bytes: real_mpi FILE */
#include <mpi.h>
#include <stdlib.h>

enum { ROUNDS = 5, INTS = 25000, MESSAGES = 7, MESSAGE_INTS = 10 };

static void check(int rc)
{
	if (rc != MPI_SUCCESS)
		MPI_Abort(MPI_COMM_WORLD, 1);
}

static void messages(int rank, int *buffer)
{
	for (int i = 0; i < MESSAGES; i++) {
		if (rank == 0)
			check(MPI_Send(buffer, MESSAGE_INTS, MPI_INT, 1, 0, MPI_COMM_WORLD));
		else
			check(MPI_Recv(buffer, MESSAGE_INTS, MPI_INT, 0, 0, MPI_COMM_WORLD,
				       MPI_STATUS_IGNORE));
	}
}

int main(int argc, char **argv)
{
	int rank, *buffer = calloc(INTS, sizeof(int));
	MPI_Offset size = INTS * sizeof(int);
	MPI_File file;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	check(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
			    &file));
	for (int i = 0; i < ROUNDS; i++)
		check(MPI_File_write_at_all(file, (2 * i + rank) * size, buffer, INTS, MPI_INT,
					    MPI_STATUS_IGNORE));
	check(MPI_File_sync(file));
	for (int i = 0; i < ROUNDS; i++)
		check(MPI_File_read_at(file, (2 * i + rank) * size, buffer, INTS, MPI_INT,
				       MPI_STATUS_IGNORE));
	/* By its other name: the same function, which must not be counted twice. */
	check(PMPI_File_read_at(file, 0, buffer, INTS, MPI_INT, MPI_STATUS_IGNORE));
	check(MPI_File_close(&file));
	messages(rank, buffer);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	free(buffer);
	return 0;
}
