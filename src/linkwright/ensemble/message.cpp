#include "linkwright/ensemble/message.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <set>
#include <thread>

#include "linkwright/ensemble/plugin.hpp"

namespace linkwright::ensemble {

std::string Messages::name(int rank) const { return fmt::format("process {}", rank); }

namespace {

int number_of(const char* variable) {
    const char* const text = std::getenv(variable);
    return text == nullptr ? 0 : std::atoi(text);
}

/// Over the functions of the plug-in.
class MpiMessages final : public Messages {
public:
    static std::unique_ptr<MpiMessages> open(void* plugin, std::string& why) {
        auto m = std::make_unique<MpiMessages>();
        const auto find = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(plugin, name));
            if (function == nullptr) why = fmt::format("the plug-in for MPI has no {}", name);
            return function != nullptr;
        };
        if (!find(m->begin_, "linkwright_mpi_begin") || !find(m->send_, "linkwright_mpi_send") ||
            !find(m->receive_, "linkwright_mpi_receive") || !find(m->take_, "linkwright_mpi_take") ||
            !find(m->name_, "linkwright_mpi_name") || !find(m->stop_, "linkwright_mpi_stop") || !find(m->end_, "linkwright_mpi_end"))
            return nullptr;
        if (m->begin_(&m->rank_, &m->size_) != 0) return why = "MPI could not begin", nullptr;
        return m;
    }
    ~MpiMessages() override { has_come_back() ? end_() : stop_(); }
    int rank() const override { return rank_; }
    int size() const override { return size_; }
    std::string name(int rank) const override { return fmt::format("process {} on {}", rank, name_(rank)); }
    void send(int to, const std::string& bytes) const override { send_(to, bytes.data(), bytes.size()); }
    std::optional<Message> receive(bool wait) const override {
        Message m;
        const long size = receive_(wait ? 1 : 0, &m.from);
        if (size < 0) return std::nullopt;
        m.bytes.resize(static_cast<std::size_t>(size));
        take_(m.from, m.bytes.data(), m.bytes.size());
        return m;
    }
    void abandon(int rank) const override { abandoned_.insert(rank); }

private:
    /// A slow process sends what it has done and finds the order to stop; a dead one would keep all from ending.
    bool has_come_back() const {
        using namespace std::chrono_literals;
        const auto begin = std::chrono::steady_clock::now();
        while (!abandoned_.empty() && std::chrono::steady_clock::now() - begin < 10s) {
            if (const auto message = receive(false))
                abandoned_.erase(message->from);
            else
                std::this_thread::sleep_for(10ms);
        }
        return abandoned_.empty();
    }

    mutable std::set<int> abandoned_;
    int rank_ = 0, size_ = 1;
    int (*begin_)(int*, int*) = nullptr;
    void (*send_)(int, const char*, unsigned long) = nullptr;
    long (*receive_)(int, int*) = nullptr;
    void (*take_)(int, char*, unsigned long) = nullptr;
    const char* (*name_)(int) = nullptr;
    void (*stop_)() = nullptr;
    void (*end_)() = nullptr;
};

}  // namespace

bool is_one_of_several() {
    for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"}) {
        if (number_of(variable) > 1) return true;
    }
    // What srun starts; a lone process in an allocation of several tasks has no step of its own.
    return std::getenv("SLURM_PROCID") != nullptr && std::getenv("SLURM_STEP_NUM_TASKS") != nullptr &&
           number_of("SLURM_STEP_NUM_TASKS") > 1;
}

const Messages* find_messages(std::string& why) {
    static std::string trouble;
    static const std::unique_ptr<const Messages> messages = []() -> std::unique_ptr<const Messages> {
        if (!is_one_of_several()) return std::make_unique<Messages>();
        void* const plugin = open_plugin("linkwright_mpi", trouble);
        return plugin == nullptr ? nullptr : MpiMessages::open(plugin, trouble);
    }();
    why = trouble;
    return messages.get();
}

}  // namespace linkwright::ensemble
