#pragma once
// The frames of an SDF: everything that has a pose, by its full name, and where it is in the world. Internal to the room.
//
// A pose is relative to another frame of the same model; a frame is attached to a link, by way of other frames perhaps. Both are followed without
// recursion, so that a chain may be long, and a circle is told.

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "linkwright/exchange/frame.hpp"
#include "linkwright/exchange/xml.hpp"

namespace linkwright::exchange {

class SdfFrames {
public:
    struct Entry {
        Frame pose{};
        std::string relative_to{};  ///< full name; empty: the world
        std::string attached_to{};  ///< full name of a frame; empty: the world
        bool is_link = false;
        Origin origin{};
        std::optional<Frame> X_W{};  ///< once resolved
    };

    /// False when the name is taken.
    bool add(const std::string& name, Entry entry);
    /// What a name means inside of a model whose names begin with `prefix`: a full name, "" for the world; nothing when there is none.
    std::optional<std::string> find(std::string_view name, const std::string& prefix) const;
    bool has(const std::string& full_name) const { return all_.contains(full_name); }
    const Entry& at(const std::string& name) const { return all_.at(name); }
    std::size_t size() const { return all_.size(); }
    void attach(const std::string& name, std::string to) { all_.at(name).attached_to = std::move(to); }

    /// The pose of a model becomes that of one of its frames: the model is where `frame` has that pose. Before anything is placed. False, with a problem, when the frame
    /// is not placed by the model.
    bool place_by(const std::string& model, const std::string& frame, const Origin& at, Problems& problems);

    /// Where it is in the world when every coordinate is 0; the world itself for "". Nothing, with a problem, when poses go in a circle.
    std::optional<Frame> place(const std::string& name, Problems& problems);
    /// The link that it is fixed to; "" for the world. Nothing, with a problem, when frames are attached in a circle.
    std::optional<std::string> link_of(const std::string& name, Problems& problems) const;

private:
    using Entries = std::map<std::string, Entry, std::less<>>;
    Entries all_;
    Entries::const_iterator entry_of(const std::string& name) const;  ///< a model's name stands for its own frame
};

}  // namespace linkwright::exchange
