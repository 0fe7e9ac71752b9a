#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/io/model_file.h"
#include "commonplace/io/options_json.h"
#include "commonplace/relate/core/guided_projection.h"
#include "commonplace/relate/core/guided_projection_check.h"

// The options and the file of a guided projection; guided_projection.cpp learns it.

namespace commonplace {
namespace {

constexpr const char* kKind = "guided-projection";
constexpr int kLayout = 1;

std::span<const double> numbers(const VectorD& values) {
  return {values.data(), static_cast<std::size_t>(values.size())};
}

VectorD vector_of(std::span<const double> values) {
  return Eigen::Map<const VectorD>(values.data(), std::ssize(values));
}

std::string name_of(std::size_t kind, const char* what) {
  return "kind." + std::to_string(kind) + "." + what;
}

/// Calls `use` with a writer that holds the model.
template <class Use>
void with_tensors(const GuidedProjection& model, Use use) {
  TensorWriter writer;
  describe_model(writer, kKind, kLayout, options_to_json(model.options));
  writer.add("eigenvalues", numbers(model.eigenvalues));
  writer.add("strength", numbers(model.strength));
  std::vector<std::uint8_t> identity;
  for (const ProjectedKind& kind : model.kinds)
    identity.push_back(static_cast<std::uint8_t>(kind.identity));
  writer.add("identity", std::span<const std::uint8_t>(identity));
  for (std::size_t k = 0; k < model.kinds.size(); ++k) {
    const Eigen::RowVectorXd& shift = model.kinds[k].shift;
    writer.add(name_of(k, "projection"), model.kinds[k].projection);
    writer.add(name_of(k, "shift"),
               std::span<const double>(shift.data(), static_cast<std::size_t>(shift.size())));
  }
  use(writer);
}

ProjectedKind read_kind(const TensorFile& file, std::size_t number, std::int64_t dim) {
  ProjectedKind kind;
  kind.projection = file.matrix_d(name_of(number, "projection"));
  kind.shift = vector_of(file.doubles(name_of(number, "shift"))).transpose();
  require(kind.projection.rows() > 0 && kind.projection.cols() == dim && kind.shift.size() == dim,
          file.name(), ": a projection of ", kind.projection.rows(), " x ", kind.projection.cols(),
          " and a shift of ", kind.shift.size(), " do not fit ", dim,
          " eigenvalues; the file is damaged");
  require(kind.projection.allFinite() && kind.shift.allFinite(), file.name(),
          ": the projection of kind ", number, " is not numbers; the file is damaged");
  return kind;
}

}  // namespace

void check(const GuidedProjectionOptions& options) {
  require(options.dim >= 1, "dim is ", options.dim, "; expected 1 or more");
  require(options.constraint == "all" || options.constraint == "first" ||
              options.constraint == "signed" || options.constraint == "identity",
          "constraint is '", options.constraint, "'; expected all, first, signed or identity");
  require(options.tolerance > 0 && options.tolerance < 1, "tolerance is ", options.tolerance,
          "; expected more than 0 and less than 1");
  require(options.max_rounds >= 1, "max_rounds is ", options.max_rounds, "; expected 1 or more");
}

void save(const GuidedProjection& model, const std::filesystem::path& path) {
  with_tensors(model, [&](const TensorWriter& writer) { writer.write(path); });
}

std::string to_bytes(const GuidedProjection& model) {
  std::string bytes;
  with_tensors(model, [&](const TensorWriter& writer) { bytes = writer.bytes(); });
  return bytes;
}

GuidedProjection load_guided_projection(const TensorFile& file) {
  require_kind(file, kKind, kLayout);
  GuidedProjection model;
  model.options = options_from_json<GuidedProjectionOptions>(file.metadata("options"));
  check(model.options);
  model.eigenvalues = vector_of(file.doubles("eigenvalues"));
  model.strength = vector_of(file.doubles("strength"));
  require(model.dim() > 0 && model.strength.size() == model.dim() &&
              model.eigenvalues.allFinite() && model.strength.allFinite(),
          file.name(), ": ", model.dim(), " eigenvalues and ", model.strength.size(),
          " strengths are not as many numbers; the file is damaged");
  for (Eigen::Index i = 1; i < model.dim(); ++i)
    require(model.eigenvalues(i) >= model.eigenvalues(i - 1), file.name(),
            ": the eigenvalues do not ascend; the file is damaged");
  const auto identity = file.small("identity");
  require(!identity.empty(), file.name(), ": the model has no kinds; the file is damaged");
  for (std::size_t k = 0; k < identity.size(); ++k) {
    require(identity[k] <= 1, file.name(), ": kind ", k, " is neither with features nor without; ",
            "the file is damaged");
    model.kinds.push_back(read_kind(file, k, model.dim()));
    model.kinds.back().identity = identity[k] == 1;
  }
  return model;
}

}  // namespace commonplace
