#include "commonplace/io/npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

static_assert(std::endian::native == std::endian::little, "files are read as they lie in memory");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kWrittenHeader = 128;
constexpr std::int64_t kBlockElements = std::int64_t{1} << 20;

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Reads the Python dictionary that makes up a header, such as
/// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  void read(NpyHeader& header, std::vector<std::int64_t>& shape) {
    bool has_type = false;
    bool has_order = false;
    bool has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr" && !has_type) {
        require(next() != '[', name_, ": holds records; only plain numbers can be read");
        header.type = quoted();
        has_type = true;
      } else if (key == "fortran_order" && !has_order) {
        header.fortran_order = boolean();
        has_order = true;
      } else if (key == "shape" && !has_shape) {
        shape = tuple();
        has_shape = true;
      } else {
        fail(name_, ": the .npy header has a second or unknown key '", key, "'");
      }
      if (accept('}')) break;
      expect(',');
    }
    require(next() == '\0' && at_ == text_.size(), name_,
            ": the .npy header goes on after its closing brace");
    require(has_type && has_order && has_shape, name_,
            ": the .npy header lacks 'descr', 'fortran_order' or 'shape'");
  }

 private:
  /// The next character that is not blank, or 0 at the end; it is not consumed.
  char next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) {
      ++at_;
    }
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool accept(char wanted) {
    if (next() != wanted) return false;
    ++at_;
    return true;
  }

  void expect(char wanted) {
    require(accept(wanted), name_, ": the .npy header has no '", wanted, "' at its byte ", at_);
  }

  std::string quoted() {
    const char quote = next();
    require(quote == '\'' || quote == '"', name_, ": the .npy header has no string at its byte ",
            at_);
    const std::size_t end = text_.find(quote, at_ + 1);
    require(end != std::string_view::npos && end - at_ <= 64, name_,
            ": the .npy header has a string without end at its byte ", at_);
    const std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }

  bool boolean() {
    next();
    for (const std::string_view word : {"True", "False"}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return word == "True";
    }
    fail(name_, ": 'fortran_order' in the .npy header is neither True nor False");
  }

  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> values;
    expect('(');
    while (!accept(')')) {
      require(values.size() < 64, name_, ": the .npy header gives more than 64 dimensions");
      values.push_back(integer());
      accept('L');  // as Python 2 wrote long integers
      if (accept(')')) break;
      expect(',');
    }
    return values;
  }

  std::int64_t integer() {
    next();
    std::int64_t value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    require(error == std::errc() && value >= 0, name_,
            ": the .npy header has no size from 0 to 2^63-1 at its byte ", at_);
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  const std::string& name_;
};

/// The bytes of one number of `type`; Error for the types that are not read.
std::uint64_t element_size(const std::string& type, const std::string& name) {
  const std::string kind = type.empty() ? type : type.substr(1);
  const bool ordered = type.starts_with('<') || type.starts_with('|');
  const bool one_byte = kind == "i1" || kind == "u1" || kind == "b1";
  if (ordered && one_byte) return 1;
  if (type == "<f2" || type == "<i2" || type == "<u2") return 2;
  if (type == "<f4" || type == "<i4" || type == "<u4") return 4;
  if (type == "<f8" || type == "<i8" || type == "<u8") return 8;
  require(!type.starts_with('>'), name, ": holds big-endian numbers (", type,
          "); save it again with .astype('<", kind, "')");
  fail(name, ": holds numbers of type '", type,
       "'; float16, float32, float64, integers and booleans can be read");
}

/// Where the dictionary lies: offset and length, as told by the version and length fields.
std::pair<std::size_t, std::size_t> locate_dictionary(std::span<const std::byte> bytes,
                                                      const std::string& name) {
  require(as_text(bytes).starts_with(kMagic) && bytes.size() >= 12, name,
          ": is not a .npy file (numpy.save writes them)");
  const auto byte = [&](std::size_t index) { return std::to_integer<std::size_t>(bytes[index]); };
  const std::size_t version = byte(6);
  require(version >= 1 && version <= 3, name, ": is a .npy file of version ", version,
          "; 1, 2 and 3 can be read");
  std::size_t length = byte(8) | byte(9) << 8;
  if (version >= 2) length |= byte(10) << 16 | byte(11) << 24;
  const std::size_t begin = version == 1 ? 10 : 12;
  require(length <= bytes.size() - begin, name, ": ends within its .npy header");
  return {begin, length};
}

std::uint64_t multiply(std::uint64_t a, std::uint64_t b, const std::string& name) {
  require(b == 0 || a <= std::numeric_limits<std::uint64_t>::max() / b, name,
          ": the .npy header promises more numbers than any file holds");
  return a * b;
}

template <class T>
float load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return static_cast<float>(value);
}

/// Fills `block` with the rows from `first_row` on.
template <class T>
void copy_block(const NpyHeader& header, const std::byte* numbers, std::int64_t first_row,
                Matrix& block) {
  const auto at = [&](std::int64_t index) {
    return load<T>(numbers + static_cast<std::size_t>(index) * sizeof(T));
  };
  if (header.fortran_order) {
    for (std::int64_t column = 0; column < header.columns; ++column) {
      const std::int64_t start = column * header.rows + first_row;
      for (std::int64_t row = 0; row < block.rows(); ++row) block(row, column) = at(start + row);
    }
  } else {
    const std::int64_t start = first_row * header.columns;
    for (std::int64_t index = 0; index < block.size(); ++index) {
      block.data()[index] = at(start + index);
    }
  }
}

using BlockCopier = void (*)(const NpyHeader&, const std::byte*, std::int64_t, Matrix&);

BlockCopier copier_for(const std::string& type) {
  const std::string_view kind = std::string_view(type).substr(1);
  if (kind == "f2") return copy_block<Eigen::half>;
  if (kind == "f4") return copy_block<float>;
  if (kind == "f8") return copy_block<double>;
  if (kind == "i1") return copy_block<std::int8_t>;
  if (kind == "i2") return copy_block<std::int16_t>;
  if (kind == "i4") return copy_block<std::int32_t>;
  if (kind == "i8") return copy_block<std::int64_t>;
  if (kind == "u2") return copy_block<std::uint16_t>;
  if (kind == "u4") return copy_block<std::uint32_t>;
  if (kind == "u8") return copy_block<std::uint64_t>;
  return copy_block<std::uint8_t>;  // u1, and b1, whose bytes are 0 and 1
}

void require_finite(const Matrix& block, std::int64_t first_row, const std::string& name) {
  // Zero times a finite number is zero, and a sum is quicker than a test of each number.
  if ((block.array() * 0.0F).sum() == 0.0F) return;
  for (std::int64_t row = 0; row < block.rows(); ++row) {
    for (std::int64_t column = 0; column < block.cols(); ++column) {
      require(std::isfinite(block(row, column)), name, ": row ", first_row + row, ", column ",
              column, " (counted from 0) is ", block(row, column),
              " as float32; features must be finite, so replace or leave out that row");
    }
  }
}

/// Always kWrittenHeader bytes, so that it can be written again when the row count is known.
std::string header_text(std::int64_t rows, std::int64_t columns, NpyNumbers numbers) {
  constexpr std::size_t kPreamble = 10;
  std::string text = concat("{'descr': '", numbers == NpyNumbers::float16 ? "<f2" : "<f4",
                            "', 'fortran_order': False, 'shape': (", rows, ", ", columns, "), }");
  text.resize(kWrittenHeader - kPreamble - 1, ' ');
  return concat(kMagic, '\x01', '\0', static_cast<char>(kWrittenHeader - kPreamble), '\0', text,
                '\n');
}

}  // namespace

NpyHeader parse_npy_header(std::span<const std::byte> bytes, const std::string& name) {
  const auto [begin, length] = locate_dictionary(bytes, name);
  NpyHeader header;
  std::vector<std::int64_t> shape;
  HeaderReader(as_text(bytes).substr(begin, length), name).read(header, shape);
  require(shape.size() == 1 || shape.size() == 2, name, ": has ", shape.size(),
          " dimensions; a matrix (rows, columns) or a vector is expected");
  header.rows = shape[0];
  header.columns = shape.size() == 2 ? shape[1] : 1;
  header.data_offset = begin + length;
  require(header.columns > 0, name, ": is a matrix without columns");

  const std::uint64_t expected =
      multiply(multiply(static_cast<std::uint64_t>(header.rows),
                        static_cast<std::uint64_t>(header.columns), name),
               element_size(header.type, name), name);
  const std::uint64_t present = bytes.size() - header.data_offset;
  require(expected == present, name, ": holds ", present, " bytes of numbers where its shape ",
          header.rows, " x ", header.columns, " of ", header.type, " needs ", expected,
          "; the file is damaged or not complete");
  return header;
}

NpyMatrix::NpyMatrix(const std::filesystem::path& path)
    : file_(path), header_(parse_npy_header(file_.bytes(), path.string())) {
  require(header_.type == "<f4" || header_.type == "<f2", path.string(), ": holds ", header_.type,
          " where float32 ('<f4') or float16 ('<f2') is needed");
  const bool one_line = header_.rows <= 1 || header_.columns == 1;
  require(!header_.fortran_order || one_line, path.string(),
          ": is in Fortran order where contiguous rows are needed");
  require(header_.data_offset % sizeof(float) == 0, path.string(), ": its numbers begin at byte ",
          header_.data_offset, ", not at a multiple of 4; write it again with numpy.save");
  if (numbers() == NpyNumbers::float32) return;
  wide_.resize(header_.rows, header_.columns);
  copy_block<Eigen::half>(header_, file_.bytes().data() + header_.data_offset, 0, wide_);
  file_ = MappedFile();
}

MatrixView NpyMatrix::view() const {
  if (wide_.size() > 0) return {wide_.data(), wide_.rows(), wide_.cols()};
  const std::byte* numbers = file_.bytes().data() + header_.data_offset;
  return {reinterpret_cast<const float*>(numbers), header_.rows, header_.columns};
}

void read_npy_blocks(const std::filesystem::path& path, const NpyVisitor& visit) {
  const MappedFile file(path);
  read_npy_blocks(file.bytes(), path.string(), visit);
}

void read_npy_blocks(std::span<const std::byte> bytes, const std::string& name,
                     const NpyVisitor& visit) {
  const NpyHeader header = parse_npy_header(bytes, name);
  const std::byte* numbers = bytes.data() + header.data_offset;
  const BlockCopier copy = copier_for(header.type);
  const std::int64_t block_rows = std::max<std::int64_t>(1, kBlockElements / header.columns);
  Matrix block;
  for (std::int64_t row = 0; row < header.rows; row += block.rows()) {
    block.resize(std::min(block_rows, header.rows - row), header.columns);
    copy(header, numbers, row, block);
    require_finite(block, row, name);
    visit(row, block);
  }
}

Matrix read_npy(const std::filesystem::path& path) {
  std::vector<Matrix> blocks;
  Eigen::Index rows = 0;
  read_npy_blocks(path, [&](std::int64_t, const Matrix& block) {
    rows += block.rows();
    blocks.push_back(block);
  });
  require(rows > 0, path.string(), " has no rows");
  Matrix result(rows, blocks[0].cols());
  rows = 0;
  for (const Matrix& block : blocks) {
    result.middleRows(rows, block.rows()) = block;
    rows += block.rows();
  }
  return result;
}

NpyWriter::NpyWriter(const std::filesystem::path& path, std::int64_t columns, NpyNumbers numbers)
    : file_(path), name_(path.string()), columns_(columns), numbers_(numbers) {
  require(columns > 0, name_, ": a matrix of ", columns, " columns cannot be written");
  file_.write(header_text(0, columns_, numbers_));
}

void NpyWriter::write(const Eigen::Ref<const Matrix>& rows) {
  require(rows.cols() == columns_, name_, ": rows of ", rows.cols(),
          " columns cannot be added to a matrix of ", columns_);
  const std::size_t row_bytes = static_cast<std::size_t>(columns_) * sizeof(float);
  Eigen::Matrix<Eigen::half, 1, Eigen::Dynamic> narrow;
  for (std::int64_t row = 0; row < rows.rows(); ++row) {
    if (numbers_ == NpyNumbers::float16) {
      narrow = rows.row(row).cast<Eigen::half>();
      file_.write({reinterpret_cast<const char*>(narrow.data()), row_bytes / 2});
    } else {
      file_.write({reinterpret_cast<const char*>(rows.row(row).data()), row_bytes});
    }
  }
  rows_ += rows.rows();
}

void NpyWriter::commit() {
  file_.write_at(0, header_text(rows_, columns_, numbers_));
  file_.commit();
}

}  // namespace commonplace
