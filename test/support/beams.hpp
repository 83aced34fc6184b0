#pragma once
// Which models have beams: formulations of rigid bodies refuse these (test/agree/elastic_test.cpp holds them to the sentence).

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace linkwright {

inline bool has_beams(const std::filesystem::path& model_file) {
    std::ifstream file(model_file);
    std::stringstream text;
    text << file.rdbuf();
    return text.str().find("type = \"beam\"") != std::string::npos;
}

inline std::vector<std::filesystem::path> without_beams(std::vector<std::filesystem::path> model_files) {
    std::erase_if(model_files, has_beams);
    return model_files;
}

}  // namespace linkwright
