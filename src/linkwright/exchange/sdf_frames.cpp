#include "linkwright/exchange/sdf_frames.hpp"

#include <fmt/format.h>

#include <vector>

namespace linkwright::exchange {

bool SdfFrames::add(const std::string& name, Entry entry) { return all_.try_emplace(name, std::move(entry)).second; }

std::optional<std::string> SdfFrames::find(std::string_view name, const std::string& prefix) const {
    if (name == "world") return std::string();
    const std::string full = prefix + std::string(name);
    if (all_.contains(full)) return full;
    if (const std::string model = full + "::__model__"; all_.contains(model)) return model;
    return std::nullopt;
}

SdfFrames::Entries::const_iterator SdfFrames::entry_of(const std::string& name) const {
    const auto found = all_.find(name);
    return found == all_.end() ? all_.find(name + "::__model__") : found;
}

std::optional<Frame> SdfFrames::place(const std::string& name, Problems& problems) {
    std::vector<Entry*> way;  // inwards, to the world or to what is placed already
    Frame X;
    for (std::string at = name; !at.empty();) {
        const auto found = entry_of(at);
        if (found == all_.end()) {
            problems.error(way.empty() ? Origin{} : way.back()->origin, fmt::format("there is no frame '{}'", at));
            return std::nullopt;
        }
        Entry& entry = all_.at(found->first);
        if (entry.X_W) {
            X = *entry.X_W;
            break;
        }
        way.push_back(&entry);
        if (way.size() > all_.size()) {
            problems.error(entry.origin, fmt::format("poses that are relative to each other in a circle: '{}' is one of them", at),
                           "let one of them be relative to the model");
            return std::nullopt;
        }
        at = entry.relative_to;
    }
    for (std::size_t i = way.size(); i-- > 0;) {
        X = compose(X, way[i]->pose);
        way[i]->X_W = X;
    }
    return X;
}

bool SdfFrames::place_by(const std::string& model, const std::string& frame, const Origin& at, Problems& problems) {
    Frame X_MF;
    std::size_t steps = 0;
    for (auto found = entry_of(frame); found == all_.end() || found->first != model; found = entry_of(found->second.relative_to)) {
        if (found == all_.end() || ++steps > all_.size()) {
            problems.error(at, "the placement frame is not placed by the model itself", "choose a link, joint or frame of the model");
            return false;
        }
        X_MF = compose(found->second.pose, X_MF);
    }
    Entry& entry = all_.at(model);
    entry.pose = compose(entry.pose, inverse(X_MF));
    return true;
}

std::optional<std::string> SdfFrames::link_of(const std::string& name, Problems& problems) const {
    std::size_t steps = 0;
    for (std::string at = name; !at.empty();) {
        const auto found = entry_of(at);
        if (found == all_.end()) {
            problems.error({}, fmt::format("there is no frame '{}'", at));
            return std::nullopt;
        }
        if (found->second.is_link) return at;
        if (++steps > all_.size()) {
            problems.error(found->second.origin,
                           fmt::format("frames that are attached to each other in a circle: '{}' is one of them", at));
            return std::nullopt;
        }
        at = found->second.attached_to;
    }
    return std::string();
}

}  // namespace linkwright::exchange
