#pragma once
// Messages between the processes that mpirun or srun have started. MPI is a library that only those need who use it: it stands in a plug-in beside the
// program, which is opened when the surroundings say that there are other processes.

#include <memory>
#include <optional>
#include <string>

namespace linkwright::ensemble {

class Messages {
public:
    virtual ~Messages() = default;
    virtual int rank() const { return 0; }
    virtual int size() const { return 1; }
    virtual std::string name(int rank) const;  ///< "process 3 on node7"
    virtual void send(int /*to*/, const std::string& /*bytes*/) const {}
    /// One that has arrived, if one has; waits for it where told to.
    struct Message {
        int from = 0;
        std::string bytes;
    };
    virtual std::optional<Message> receive(bool /*wait*/) const { return std::nullopt; }
    /// It has been told to stop and may never hear it: at the end of the program it is waited for a little, and then stopped by force.
    virtual void abandon(int /*rank*/) const {}
};

/// Has this process been started as one of several?
bool is_one_of_several();

/// Those of MPI where this process is one of several, otherwise those of a process that is alone. Made once; at the end of the program MPI is closed.
/// Empty when there are several and they cannot talk; `why` says so.
const Messages* find_messages(std::string& why);

}  // namespace linkwright::ensemble
