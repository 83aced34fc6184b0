#pragma once
// The shapes of a beam, the functions g_a(x) that the place of its particles is made of (beam.hpp), and integrals of these over pieces. Internal to
// the room.

#include <map>
#include <tuple>

#include "linkwright/flex/shape_function.hpp"
#include "linkwright/model/model.hpp"

namespace linkwright::model {

inline bool bends(BeamDirection d) { return d == BeamDirection::y || d == BeamDirection::z; }

/// Σ c_k b_k(ξ): functions of x as combinations of a few functions of ξ whose integrals are numbers.
using Combination = std::vector<std::pair<std::size_t, Expr>>;

class BeamField {
public:
    static constexpr std::size_t one = 0, xi = 1;

    explicit BeamField(const Beam& beam);

    const Expr& start() const { return start_; }
    const Expr& span() const { return span_; }
    const std::vector<ElasticTerm>& terms() const { return terms_; }
    const std::vector<std::string>& labels() const { return labels_; }  ///< of the terms: "", y1, y1y2
    const std::vector<Combination>& functions() const { return functions_; }
    const std::vector<Combination>& shapes() const { return shapes_; }  ///< of each coordinate
    const std::vector<BeamDirection>& directions() const { return directions_; }
    const std::vector<std::string>& names() const { return names_; }  ///< of the coordinates: y1

    /// ∫ weight f g dx with a weight for each piece; f and g differentiated so often.
    Expr integral(const Combination& f, const Combination& g, Expr BeamSection::* weight, int derivatives = 0);
    /// f at x, differentiated so often by x. Beyond the elastic part: at its end.
    Expr at(const Combination& f, const Expr& xi, int derivatives) const;

private:
    flex::ShapeFunction differentiated(std::size_t k, int derivatives) const;

    /// ∫ b_k b_l dξ over a piece
    Expr piece(std::size_t p, std::size_t k, std::size_t l, int derivatives);

    void add_shapes();

    void normalise(Combination& f, const BeamShapes& given);

    /// φ − a − bξ with ∫ dm = ∫ ξ dm = 0 of it; of stretch and twist φ − a.
    void take_mean(Combination& f, BeamDirection direction);

    void add_terms();

    /// h(x) = ∫₀ˣ f' g' dx
    Combination integral_of_slopes(const Combination& f, const Combination& g);

    static constexpr std::size_t none = -1;
    struct Known {
        std::size_t set = none;    ///< of functions that are orthogonal to each other on a uniform beam
        bool bends_apart = false;  ///< by their curvatures alone
        bool is_bending = false;
        Expr norm = 0;
        double wave_number = 0;
    };

    const Beam beam_;  // a copy: bodies move while sections are added
    Expr start_, end_, span_;
    std::vector<flex::ShapeFunction> basis_;
    std::vector<Known> known_;
    std::vector<std::pair<Expr, Expr>> limits_;
    std::map<std::tuple<std::size_t, std::size_t, std::size_t, int>, Expr> integrals_;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> slopes_;
    std::vector<Combination> shapes_;
    std::vector<BeamDirection> directions_;
    std::vector<std::string> names_;
    std::vector<ElasticTerm> terms_;
    std::vector<Combination> functions_;
    std::vector<std::string> labels_;
};

/// Where on a beam x = at is: in its elastic part, or in a rigid end, that far from where the end begins.
struct PlaceOnBeam {
    Expr xi;
    Expr beyond = 0;
};
PlaceOnBeam place_of(const Model& model, const Beam& beam, const BeamField& field, const Expr& at);

}  // namespace linkwright::model
