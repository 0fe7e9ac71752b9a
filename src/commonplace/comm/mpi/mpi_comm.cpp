#include "commonplace/comm/mpi/mpi_comm.h"

#include <algorithm>
#include <array>
#include <exception>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/comm/reduce.h"

namespace commonplace {
namespace {

constexpr std::size_t piece_bytes = std::size_t{8} << 20;
constexpr std::size_t broadcast_bytes_at_once = std::size_t{1} << 30;

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  fail(call, " failed: ", std::string(text.data(), static_cast<std::size_t>(length)));
}

MPI_Datatype mpi_type(double) { return MPI_DOUBLE; }
MPI_Datatype mpi_type(std::int64_t) { return MPI_INT64_T; }

}  // namespace

MpiComm::MpiComm(MPI_Comm parent) {
  check(MPI_Comm_dup(parent, &comm_), "MPI_Comm_dup");
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

MpiComm::~MpiComm() {
  // Freeing is collective: a rank that unwinds alone must not wait for the others here.
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0 && std::uncaught_exceptions() == 0) MPI_Comm_free(&comm_);
}

void MpiComm::sum(std::span<double> values) { reduce(values, detail::Add{}); }
void MpiComm::sum(std::span<std::int64_t> values) { reduce(values, detail::Add{}); }
void MpiComm::max(std::span<double> values) { reduce(values, detail::Larger{}); }

template <class T, class Operation>
void MpiComm::reduce(std::span<T> values, Operation operation) {
  if (size_ == 1) return;
  const Stopwatch stopwatch(*this);
  constexpr std::size_t piece = piece_bytes / sizeof(T);
  // Every rank's copy of one share; a share is at most one longer than piece / size.
  std::vector<T> received(std::min(values.size(), piece) + static_cast<std::size_t>(size_));
  for (std::size_t begin = 0; begin < values.size(); begin += piece)
    reduce_piece(values.subspan(begin, std::min(piece, values.size() - begin)),
                 std::span<T>(received), operation);
}

template <class T, class Operation>
void MpiComm::reduce_piece(std::span<T> values, std::span<T> received, Operation operation) {
  const auto ranks = static_cast<std::size_t>(size_);
  const RowRange mine = rows_of_rank(std::ssize(values), rank_, size_);
  const auto length = static_cast<int>(mine.end - mine.begin);
  std::vector<int> lengths(ranks);
  std::vector<int> offsets(ranks);
  std::vector<int> received_offsets(ranks);
  for (int other = 0; other < size_; ++other) {
    const RowRange share = rows_of_rank(std::ssize(values), other, size_);
    const auto at = static_cast<std::size_t>(other);
    lengths[at] = static_cast<int>(share.end - share.begin);
    offsets[at] = static_cast<int>(share.begin);
    received_offsets[at] = other * length;
  }
  const std::vector<int> received_lengths(ranks, length);
  const MPI_Datatype type = mpi_type(T{});
  check(MPI_Alltoallv(values.data(), lengths.data(), offsets.data(), type, received.data(),
                      received_lengths.data(), received_offsets.data(), type, comm_),
        "MPI_Alltoallv");
  T* const totals = values.data() + mine.begin;
  std::copy_n(received.data(), length, totals);
  for (int other = 1; other < size_; ++other)
    std::transform(totals, totals + length, received.data() + other * length, totals, operation);
  check(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values.data(), lengths.data(),
                       offsets.data(), type, comm_),
        "MPI_Allgatherv");
}

void MpiComm::broadcast_bytes(std::span<std::byte> bytes, int root) {
  require(root >= 0 && root < size_, "cannot broadcast from rank ", root, " of ", size_);
  const Stopwatch stopwatch(*this);
  send_to_all(bytes, root);
}

void MpiComm::send_to_all(std::span<std::byte> bytes, int root) {
  while (!bytes.empty()) {
    const std::size_t length = std::min(bytes.size(), broadcast_bytes_at_once);
    check(MPI_Bcast(bytes.data(), static_cast<int>(length), MPI_BYTE, root, comm_), "MPI_Bcast");
    bytes = bytes.subspan(length);
  }
}

Matrix MpiComm::gather_rows(const Matrix& rows) {
  const Stopwatch stopwatch(*this);
  struct Shape {
    std::int64_t rows;
    std::int64_t columns;
  };
  const Shape mine{rows.rows(), rows.cols()};
  std::vector<Shape> shapes(static_cast<std::size_t>(size_));
  check(MPI_Allgather(&mine, 2, MPI_INT64_T, shapes.data(), 2, MPI_INT64_T, comm_),
        "MPI_Allgather");
  std::int64_t total = 0;
  std::int64_t columns = shapes.front().columns;
  for (const Shape& shape : shapes) {
    if (shape.rows == 0) continue;
    require(total == 0 || shape.columns == columns, "the ranks gather rows of ", columns,
            " and of ", shape.columns, " columns; all must have the same number");
    columns = shape.columns;
    total += shape.rows;
  }
  Matrix all(total, columns);
  // One broadcast a rank: the counts of a single gather would overflow an int.
  std::int64_t first = 0;
  for (int other = 0; other < size_; ++other) {
    const std::int64_t length = shapes[static_cast<std::size_t>(other)].rows;
    if (length == 0) continue;
    if (other == rank_) all.middleRows(first, length) = rows;
    const std::span<float> block(all.data() + first * columns,
                                 static_cast<std::size_t>(length * columns));
    send_to_all(std::as_writable_bytes(block), other);
    first += length;
  }
  return all;
}

void MpiComm::barrier() {
  const Stopwatch stopwatch(*this);
  check(MPI_Barrier(comm_), "MPI_Barrier");
}

MpiSession::MpiSession(int& argc, char**& argv) {
  int running = 0;
  MPI_Initialized(&running);
  if (running != 0) return;
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  owner_ = true;
  if (provided >= MPI_THREAD_FUNNELED) return;
  MPI_Finalize();
  fail("this MPI does not go with threads (it offers level ", provided, ", ", MPI_THREAD_FUNNELED,
       " is needed); install one that offers MPI_THREAD_FUNNELED");
}

MpiSession::~MpiSession() {
  if (owner_) MPI_Finalize();
}

int run_mpi(int& argc, char**& argv, const std::function<int(Comm&)>& body,
            const FailureHandler& on_failure) {
  const MpiSession session(argc, argv);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::string message = "an exception that says nothing of itself";
  try {
    MpiComm comm(MPI_COMM_WORLD);
    return body(comm);
  } catch (const std::exception& failure) {
    message = failure.what();
  } catch (...) {
  }
  try {
    on_failure(rank, message);
  } catch (...) {
    // The job must end even if nobody can be told why.
  }
  if (size > 1) MPI_Abort(MPI_COMM_WORLD, 1);
  return 1;
}

}  // namespace commonplace
