// A table of runs as HDF5, for ensemble/output.cpp: groups "varied" and "collected" with a dataset for each column, "failure" with a text for each run. The
// first 512 bytes, which HDF5 leaves to its users, say which ensemble it is.

#include <hdf5.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

/// What is closed again, whatever happens.
struct Handle {
    hid_t id;
    herr_t (*close)(hid_t);
    Handle(hid_t opened, herr_t (*closing)(hid_t)) : id(opened), close(closing) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() {
        if (id >= 0) close(id);
    }
    explicit operator bool() const { return id >= 0; }
};

/// A slash would make a group of it.
std::string name_of(const char* text) {
    std::string name(text);
    for (char& c : name) c = c == '/' ? ':' : c;
    return name;
}

herr_t first_message(unsigned, const H5E_error2_t* error, void* into) {
    auto& why = *static_cast<std::string*>(into);
    if (why.empty() && error->desc != nullptr) why = error->desc;
    return 0;
}

bool write_all(const char* path, const char* mark, hsize_t runs, std::size_t columns, const char* const* names, const double* rows,
               std::size_t varied, const char* const* failures) {
    const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    H5Pset_userblock(creation.id, 512);
    {
        const Handle file(H5Fcreate(path, H5F_ACC_TRUNC, creation.id, H5P_DEFAULT), H5Fclose);
        if (!file) return false;
        const Handle space(H5Screate_simple(1, &runs, nullptr), H5Sclose);
        std::vector<double> column(runs);
        for (const bool is_varied : {true, false}) {
            const Handle group(H5Gcreate2(file.id, is_varied ? "varied" : "collected", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
            if (!group) return false;
            for (std::size_t c = is_varied ? 0 : varied; c < (is_varied ? varied : columns); ++c) {
                for (std::size_t i = 0; i < runs; ++i) column[i] = rows[i * columns + c];
                const Handle set(
                    H5Dcreate2(group.id, name_of(names[c]).c_str(), H5T_IEEE_F64LE, space.id, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                    H5Dclose);
                if (!set || H5Dwrite(set.id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, column.data()) < 0) return false;
            }
        }
        const Handle text(H5Tcopy(H5T_C_S1), H5Tclose);
        H5Tset_size(text.id, H5T_VARIABLE);
        H5Tset_cset(text.id, H5T_CSET_UTF8);
        const Handle set(H5Dcreate2(file.id, "failure", text.id, space.id, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
        if (!set || H5Dwrite(set.id, text.id, H5S_ALL, H5S_ALL, H5P_DEFAULT, failures) < 0) return false;
        if (H5Fflush(file.id, H5F_SCOPE_LOCAL) < 0) return false;
    }
    std::FILE* const file = std::fopen(path, "r+b");
    if (file == nullptr) return false;
    const std::size_t size = std::strlen(mark);
    const bool is_written = std::fwrite(mark, 1, size, file) == size;
    return (std::fclose(file) == 0) && is_written;
}

}  // namespace

extern "C" int linkwright_hdf5_write(const char* path, const char* mark, unsigned long runs, unsigned long columns,
                                     const char* const* names, const double* rows, unsigned long varied, const char* const* failures,
                                     char* why, unsigned long room) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // it is told by us
    if (write_all(path, mark, runs, columns, names, rows, varied, failures)) return 0;
    std::string message;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first_message, &message);
    std::snprintf(why, room, "%s", message.empty() ? "the disk would not take it" : message.c_str());
    return 1;
}
