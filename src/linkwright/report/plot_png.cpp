#include "linkwright/report/plot_png.hpp"

#include <cairo.h>

#include <cmath>
#include <memory>
#include <numbers>

namespace linkwright::report {
namespace {

using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;
using Pen = std::unique_ptr<cairo_t, decltype(&cairo_destroy)>;

void set_color(cairo_t* pen, std::uint32_t color) {
    const auto part = [&](unsigned shift) { return static_cast<double>((color >> shift) & 0xFFU) / 255.0; };
    cairo_set_source_rgb(pen, part(16), part(8), part(0));
}

void draw(cairo_t* pen, const DrawnLine& line) {
    set_color(pen, line.color);
    cairo_set_line_width(pen, line.width);
    cairo_set_line_join(pen, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(pen, line.dashes.empty() ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
    cairo_set_dash(pen, line.dashes.data(), static_cast<int>(line.dashes.size()), 0);
    for (const auto& piece : line.pieces) {
        for (std::size_t i = 0; i < piece.size(); ++i) (i == 0 ? cairo_move_to : cairo_line_to)(pen, piece[i].x, piece[i].y);
        if (piece.size() == 1) cairo_line_to(pen, piece[0].x, piece[0].y);
    }
    cairo_stroke(pen);
}

void draw(cairo_t* pen, const DrawnText& text) {
    set_color(pen, text.color);
    cairo_select_font_face(pen, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(pen, text.size);
    cairo_text_extents_t size;
    cairo_text_extents(pen, text.text.c_str(), &size);
    const double back = text.anchor == Anchor::start ? 0 : text.anchor == Anchor::middle ? size.x_advance / 2 : size.x_advance;
    cairo_save(pen);
    cairo_translate(pen, text.at.x, text.at.y);
    if (text.is_upright) cairo_rotate(pen, -std::numbers::pi / 2);
    cairo_move_to(pen, -back, 0);
    cairo_show_text(pen, text.text.c_str());
    cairo_restore(pen);
}

cairo_status_t append(void* text, const unsigned char* data, unsigned length) {
    static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(data), length);
    return CAIRO_STATUS_SUCCESS;
}

}  // namespace

std::string to_png(const Drawing& drawing, double pixels_per_point) {
    const auto pixels = [&](double x) { return static_cast<int>(std::ceil(x * pixels_per_point)); };
    const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, pixels(drawing.width), pixels(drawing.height)),
                          cairo_surface_destroy);
    const Pen pen(cairo_create(surface.get()), cairo_destroy);
    cairo_scale(pen.get(), pixels_per_point, pixels_per_point);
    cairo_set_source_rgb(pen.get(), 1, 1, 1);
    cairo_paint(pen.get());
    for (const DrawnLine& line : drawing.lines) draw(pen.get(), line);
    for (const DrawnText& text : drawing.texts) draw(pen.get(), text);
    std::string png;
    const bool is_ok = cairo_status(pen.get()) == CAIRO_STATUS_SUCCESS &&
                       cairo_surface_write_to_png_stream(surface.get(), append, &png) == CAIRO_STATUS_SUCCESS;
    return is_ok ? png : std::string();
}

}  // namespace linkwright::report
