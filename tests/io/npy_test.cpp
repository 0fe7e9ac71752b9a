#include "commonplace/io/npy.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "tests/io/python.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace npy_test {

using test::TemporaryDirectory;

/// A .npy file with `dictionary` as its header, unpadded.
std::string npy_file(const std::string& dictionary, const std::string& data, char version = 1) {
  std::string file = "\x93NUMPY";
  file.push_back(version);
  file.push_back('\0');
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    file.push_back(static_cast<char>(dictionary.size() >> (8 * i) & 0xff));
  }
  return file + dictionary + data;
}

template <class T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string dictionary(const std::string& type, const std::string& shape,
                       const std::string& order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

std::span<const std::byte> as_bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

/// All blocks, put under each other.
Matrix read_rows(std::span<const std::byte> bytes) {
  Matrix all;
  read_npy_blocks(bytes, "x.npy", [&](std::int64_t first, const Matrix& rows) {
    EXPECT_EQ(first, all.rows());
    all.conservativeResize(first + rows.rows(), rows.cols());
    all.bottomRows(rows.rows()) = rows;
  });
  return all;
}

std::string error_of(const std::string& file) {
  try {
    read_rows(as_bytes(file));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Npy, ReadsWhatNumpyWrites) {
  if (!test::has_numpy()) GTEST_SKIP() << "/usr/bin/python3 has no numpy";
  const TemporaryDirectory folder;
  const auto written = test::run_script("write_npy.py", folder.path());
  ASSERT_EQ(written.status, 0) << written.output;
  std::istringstream names(written.output);
  int files = 0;
  for (std::string name; std::getline(names, name); ++files) {
    Matrix all(0, 3);
    read_npy_blocks(folder / name, [&](std::int64_t, const Matrix& rows) { all = rows; });
    ASSERT_EQ(all.rows(), 5) << name;
    ASSERT_EQ(all.cols(), 3) << name;
    for (std::int64_t i = 0; i < 15; ++i) {
      const float expected = name.starts_with("b1") ? (i > 0 ? 1.0F : 0.0F) : static_cast<float>(i);
      EXPECT_EQ(all(i / 3, i % 3), expected) << name;
    }
  }
  EXPECT_EQ(files, 12 * 2 * 3);

  EXPECT_EQ(read_rows(as_bytes(test::slurp(folder / "vector.npy"))).rows(), 7);
  EXPECT_EQ(read_rows(as_bytes(test::slurp(folder / "no_rows.npy"))).rows(), 0);
  EXPECT_EQ(parse_npy_header(as_bytes(test::slurp(folder / "no_rows.npy")), "x").columns, 9);
  const auto message = [&](const char* name) { return error_of(test::slurp(folder / name)); };
  EXPECT_NE(message("big_endian.npy").find("astype('<f4')"), std::string::npos);
  EXPECT_NE(message("cube.npy").find("3 dimensions"), std::string::npos);
  EXPECT_NE(message("texts.npy").find("type '<U1'"), std::string::npos);
  EXPECT_NE(message("records.npy").find("records"), std::string::npos);
}

TEST(Npy, NumpyReadsWhatIsWritten) {
  if (!test::has_numpy()) GTEST_SKIP() << "/usr/bin/python3 has no numpy";
  const TemporaryDirectory folder;
  Matrix rows(3, 2);
  rows << 1.5F, -2, 3, 4e-3F, 5, 6;
  NpyWriter writer(folder / "a.npy", 2);
  writer.write(rows.topRows(2));
  writer.write(rows.bottomRows(1));
  writer.commit();
  const auto seen = test::run_script("read_npy.py", folder / "a.npy");
  EXPECT_EQ(seen.status, 0);
  EXPECT_EQ(seen.output,
            "<f4 (3, 2) True 0\n[[1.5, -2.0], [3.0, 0.004000000189989805], [5.0, 6.0]]\n");

  NpyWriter empty(folder / "empty.npy", 4);
  empty.commit();
  EXPECT_EQ(test::run_script("read_npy.py", folder / "empty.npy").output,
            "<f4 (0, 4) True 0\n[]\n");
}

TEST(Npy, WriterAndMappedMatrixRoundTripToTheBit) {
  const TemporaryDirectory folder;
  const Matrix wide = Matrix::Random(50, 9);
  NpyWriter writer(folder / "a.npy", 4);
  writer.write(wide.block(0, 2, 20, 4));  // rows that are not contiguous
  EXPECT_FALSE(std::filesystem::exists(folder / "a.npy"));
  writer.write(wide.block(20, 2, 30, 4));
  writer.commit();
  NpyMatrix matrix(folder / "a.npy");
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(matrix.view().data()) % 64, 0U);
  const NpyMatrix moved = std::move(matrix);
  EXPECT_TRUE((moved.view().array() == wide.middleCols(2, 4).array()).all());
  EXPECT_TRUE(
      (read_rows(as_bytes(test::slurp(folder / "a.npy"))).array() == wide.middleCols(2, 4).array())
          .all());
}

TEST(Npy, WriterWithoutCommitLeavesTheOldFile) {
  const TemporaryDirectory folder;
  folder.write("a.npy", "old");
  {
    NpyWriter writer(folder / "a.npy", 3);
    writer.write(Matrix::Ones(2, 3));
    EXPECT_THROW(writer.write(Matrix::Ones(2, 4)), Error);
  }
  EXPECT_EQ(test::slurp(folder / "a.npy"), "old");
  EXPECT_THROW(NpyWriter(folder / "b.npy", 0), Error);
}

TEST(Npy, ManyBlocksInEitherOrder) {
  constexpr std::int64_t rows = 3001;
  constexpr std::int64_t columns = 1000;  // three blocks
  std::vector<std::int32_t> numbers(rows * columns);
  for (const bool fortran : {false, true}) {
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < columns; ++column) {
        const std::int64_t index = fortran ? column * rows + row : row * columns + column;
        numbers[static_cast<std::size_t>(index)] =
            static_cast<std::int32_t>(row * columns + column);
      }
    }
    const std::string file =
        npy_file(dictionary("<i4", "(3001, 1000)", fortran ? "True" : "False"), raw(numbers));
    std::int64_t expected_row = 0;
    int blocks = 0;
    read_npy_blocks(as_bytes(file), "x", [&](std::int64_t first, const Matrix& block) {
      ASSERT_EQ(first, expected_row);
      for (std::int64_t i = 0; i < block.size(); ++i) {
        ASSERT_EQ(block.data()[i], static_cast<float>(first * columns + i));
      }
      expected_row += block.rows();
      ++blocks;
    });
    EXPECT_EQ(expected_row, rows);
    EXPECT_GT(blocks, 1);
  }
}

TEST(Npy, HeaderMayBeSpelledInManyWays) {
  const std::string data = raw<float>({1, 2, 3, 4, 5, 6});
  for (const char* text : {
           "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
           "{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<f4\"}   \n",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L)}\n",
       }) {
    for (const char version : {1, 2, 3}) {
      const Matrix rows = read_rows(as_bytes(npy_file(text, data, version)));
      ASSERT_EQ(rows.rows(), 2) << text;
      EXPECT_EQ(rows(1, 0), 4.0F);
    }
  }
  EXPECT_EQ(read_rows(as_bytes(npy_file(dictionary("<f4", "(6,)"), data))).rows(), 6);
}

TEST(Npy, BadHeadersAreRefused) {
  const std::string data = raw<float>({1, 2, 3, 4, 5, 6});
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "is not a .npy file"},
      {"PK\x03\x04 a zip archive", "is not a .npy file"},
      {npy_file(dictionary("<f4", "(2, 3)"), data, 4), "version 4"},
      {npy_file(dictionary("<f4", "(2, 4)"), data), "needs 32"},
      {npy_file(dictionary("<f4", "(2, 2)"), data), "needs 16"},
      {npy_file(dictionary("<f4", "(2, 0)"), data), "without columns"},
      {npy_file(dictionary("<f4", "()"), data), "0 dimensions"},
      {npy_file(dictionary("<f4", "(-2, -3)"), data), "no size"},
      {npy_file(dictionary("<f4", "(99999999999999999999, 3)"), data), "no size"},
      {npy_file(dictionary("<f4", "(4611686018427387904, 4)"), data), "more numbers than any"},
      {npy_file(dictionary("<f8", "(4611686018427387904, 2)"), data), "more numbers than any"},
      {npy_file(dictionary(">f8", "(3,)"), data), "big-endian"},
      {npy_file(dictionary("<c8", "(3,)"), data), "type '<c8'"},
      {npy_file(dictionary("|O", "(3,)"), data), "type '|O'"},
      {npy_file(dictionary("", "(3,)"), data), "type ''"},
      {npy_file(dictionary("<f4", "(2, 3)", "Maybe"), data), "neither True nor False"},
      {npy_file("{'descr': '<f4', 'shape': (2, 3)}", data), "lacks"},
      {npy_file("{'shape': (2, 3), 'shape': (2, 3)}", data), "second or unknown key 'shape'"},
      {npy_file("{'colour': 'red'}", data), "second or unknown key 'colour'"},
      {npy_file("{'descr': '<f4", data), "without end"},
      {npy_file(dictionary("<f4", "(2, 3)") + "{}", data), "goes on"},
      {npy_file("['descr']", data), "no '{'"},
  };
  for (const auto& [file, expected] : cases) {
    const std::string message = error_of(file);
    EXPECT_TRUE(message.starts_with("x.npy: ")) << message;
    EXPECT_NE(message.find(expected), std::string::npos) << message << "\nwanted: " << expected;
  }
}

TEST(Npy, EveryTruncationIsRefused) {
  const std::string file = npy_file(dictionary("<f4", "(2, 3)"), raw<float>({1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(error_of(file), "no error");
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_NE(error_of(file.substr(0, size)), "no error") << size;
  }
}

TEST(Npy, FirstNumberThatIsNotFiniteIsNamed) {
  std::vector<double> numbers(5 * 3, 1.0);
  numbers[3 * 3 + 1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(error_of(npy_file(dictionary("<f8", "(5, 3)"), raw(numbers))).find("row 3, column 1"),
            std::string::npos);
  EXPECT_NE(
      error_of(npy_file(dictionary("<f8", "(3, 5)", "True"), raw(numbers))).find("row 1, column 3"),
      std::string::npos);
  numbers[3 * 3 + 1] = 1e300;
  EXPECT_NE(error_of(npy_file(dictionary("<f8", "(5, 3)"), raw(numbers))).find("inf as float32"),
            std::string::npos);
}

TEST(Npy, MappedMatrixAcceptsOnlyWhatItCanShow) {
  const TemporaryDirectory folder;
  const std::string six = raw<float>({1, 2, 3, 4, 5, 6});
  const auto open = [&](std::string header, const std::string& data) {
    while (header.size() % 4 != 2) header.push_back('\n');
    return NpyMatrix(folder.write("a.npy", npy_file(header, data)));
  };
  EXPECT_EQ(open(dictionary("<f4", "(2, 3)"), six).view()(1, 0), 4.0F);
  EXPECT_EQ(open(dictionary("<f4", "(6,)", "True"), six).view()(5, 0), 6.0F);
  EXPECT_EQ(open(dictionary("<f4", "(0, 3)"), "").view().rows(), 0);
  EXPECT_THROW(open(dictionary("<f4", "(2, 3)", "True"), six), Error);
  EXPECT_THROW(open(dictionary("<i4", "(2, 3)"), six), Error);
  std::string unaligned = dictionary("<f4", "(2, 3)");
  while (unaligned.size() % 4 != 3) unaligned.push_back('\n');
  EXPECT_THROW(NpyMatrix(folder.write("b.npy", npy_file(unaligned, six))), Error);
  EXPECT_THROW(NpyMatrix(folder / "missing.npy"), Error);
}

}  // namespace npy_test
}  // namespace commonplace
