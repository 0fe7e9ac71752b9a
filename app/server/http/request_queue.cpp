#include "app/server/http/request_queue.h"

#include <algorithm>
#include <utility>

namespace commonplace::server {

RequestQueue::RequestQueue(const ServerOptions& options, const Service& service, Metrics& metrics,
                           Post to_sockets)
    : options_(options), service_(service), metrics_(metrics), to_sockets_(std::move(to_sockets)) {
  for (int i = 0; i < options_.workers; ++i) workers_.emplace_back([this] { work(); });
}

RequestQueue::~RequestQueue() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

std::optional<Response> RequestQueue::submit(const std::shared_ptr<PendingRequest>& pending) {
  const std::string& client = pending->request.client;
  const auto found = of_client_.find(client);
  if (found != of_client_.end() && found->second >= options_.per_client)
    return problem(429, "too many requests of one client at once; send fewer, or wait",
                   {{"Retry-After", "1"}});
  if (in_work_ >= options_.workers && std::ssize(waiting_) >= options_.waiting)
    return problem(503, "the server is too busy; try again soon", {{"Retry-After", "1"}});
  ++of_client_[client];
  pending->state = PendingRequest::State::kNew;
  waiting_.push_back(pending);
  start();
  if (pending->state == PendingRequest::State::kNew)
    pending->state = PendingRequest::State::kWaiting;
  return std::nullopt;
}

void RequestQueue::drop(const std::shared_ptr<PendingRequest>& pending) {
  pending->wake = nullptr;
  pending->client_is_gone = nullptr;
  const auto found = std::find(waiting_.begin(), waiting_.end(), pending);
  if (found == waiting_.end()) return;
  waiting_.erase(found);
  metrics_.waiting = std::ssize(waiting_);
  give_back(pending->request.client);
}

void RequestQueue::start() {
  while (in_work_ < options_.workers && !waiting_.empty()) {
    const std::shared_ptr<PendingRequest> pending = std::move(waiting_.front());
    waiting_.pop_front();
    if (pending->state == PendingRequest::State::kWaiting && pending->client_is_gone &&
        pending->client_is_gone()) {
      pending->state = PendingRequest::State::kGone;
      give_back(pending->request.client);
      if (pending->wake) std::exchange(pending->wake, nullptr)();
      continue;
    }
    pending->state = PendingRequest::State::kInWork;
    ++in_work_;
    {
      const std::lock_guard lock(mutex_);
      handed_out_.push_back(pending);
    }
    changed_.notify_one();
  }
  metrics_.waiting = std::ssize(waiting_);
  metrics_.in_work = in_work_;
}

void RequestQueue::finished(const std::shared_ptr<PendingRequest>& pending) {
  --in_work_;
  give_back(pending->request.client);
  pending->state = PendingRequest::State::kDone;
  pending->client_is_gone = nullptr;
  if (pending->wake) std::exchange(pending->wake, nullptr)();
  start();
}

void RequestQueue::give_back(const std::string& client) {
  const auto found = of_client_.find(client);
  if (found != of_client_.end() && --found->second == 0) of_client_.erase(found);
}

void RequestQueue::work() {
  for (;;) {
    std::shared_ptr<PendingRequest> pending;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ends_ || !handed_out_.empty(); });
      if (ends_) return;
      pending = std::move(handed_out_.front());
      handed_out_.pop_front();
    }
    try {
      pending->response = service_.answer(pending->request);
    } catch (...) {
      pending->response = problem(500, "a fault of the server");
      add_standard_headers(pending->response, pending->request.path);
    }
    to_sockets_([this, pending] { finished(pending); });
  }
}

}  // namespace commonplace::server
