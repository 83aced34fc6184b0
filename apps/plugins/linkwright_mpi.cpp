// Messages of bytes over MPI, for ensemble/message.cpp. One thread calls.

#define OMPI_SKIP_MPICXX
#include <mpi.h>

#include <cstdio>
#include <iostream>
#include <vector>

namespace {
std::vector<char> names;  ///< of the machines the processes are on, each in MPI_MAX_PROCESSOR_NAME bytes
}

extern "C" {

int linkwright_mpi_begin(int* rank, int* size) {
    int provided = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) return 1;
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
    char name[MPI_MAX_PROCESSOR_NAME] = {};
    int length = 0;
    MPI_Get_processor_name(name, &length);
    names.resize(static_cast<std::size_t>(*size) * sizeof name);
    MPI_Allgather(name, sizeof name, MPI_CHAR, names.data(), sizeof name, MPI_CHAR, MPI_COMM_WORLD);
    return 0;
}

const char* linkwright_mpi_name(int rank) { return names.data() + static_cast<std::ptrdiff_t>(rank) * MPI_MAX_PROCESSOR_NAME; }

void linkwright_mpi_send(int to, const char* bytes, unsigned long size) {
    MPI_Send(bytes, static_cast<int>(size), MPI_BYTE, to, 0, MPI_COMM_WORLD);
}

/// The size of a message that has arrived, and from whom; −1: none has.
long linkwright_mpi_receive(int wait, int* from) {
    MPI_Status status;
    int is_there = 0, size = 0;
    if (wait != 0) {
        MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    } else {
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &is_there, &status);
        if (is_there == 0) return -1;
    }
    MPI_Get_count(&status, MPI_BYTE, &size);
    *from = status.MPI_SOURCE;
    return size;
}

/// That message.
void linkwright_mpi_take(int from, char* bytes, unsigned long size) {
    MPI_Recv(bytes, static_cast<int>(size), MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// Ends all processes, also one that hears nothing any more.
void linkwright_mpi_stop() {
    std::cout.flush(), std::cerr.flush();
    std::fflush(nullptr);
    MPI_Abort(MPI_COMM_WORLD, 0);
}

void linkwright_mpi_end() {
    int is_over = 0;
    MPI_Finalized(&is_over);
    if (is_over == 0) MPI_Finalize();
}
}
