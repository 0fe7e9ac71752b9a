#include "app/server/desk.h"

#include <algorithm>
#include <utility>

namespace commonplace::server {

Desk::Desk(const ServerOptions& options, const Service& service, Metrics& metrics, Post to_sockets)
    : options_(options), service_(service), metrics_(metrics), to_sockets_(std::move(to_sockets)) {
  for (int i = 0; i < options_.workers; ++i) workers_.emplace_back([this] { work(); });
}

Desk::~Desk() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

std::optional<Response> Desk::submit(const std::shared_ptr<Errand>& errand) {
  const std::string& client = errand->request.client;
  const auto found = of_client_.find(client);
  if (found != of_client_.end() && found->second >= options_.per_client)
    return problem(429, "too many requests of one client at once; send fewer, or wait",
                   {{"Retry-After", "1"}});
  if (in_work_ >= options_.workers && std::ssize(waiting_) >= options_.waiting)
    return problem(503, "the server is too busy; try again soon", {{"Retry-After", "1"}});
  ++of_client_[client];
  errand->state = Errand::State::kNew;
  waiting_.push_back(errand);
  start();
  if (errand->state == Errand::State::kNew) errand->state = Errand::State::kWaiting;
  return std::nullopt;
}

void Desk::drop(const std::shared_ptr<Errand>& errand) {
  errand->wake = nullptr;
  errand->client_is_gone = nullptr;
  const auto found = std::find(waiting_.begin(), waiting_.end(), errand);
  if (found == waiting_.end()) return;
  waiting_.erase(found);
  metrics_.waiting = std::ssize(waiting_);
  give_back(errand->request.client);
}

void Desk::start() {
  while (in_work_ < options_.workers && !waiting_.empty()) {
    const std::shared_ptr<Errand> errand = std::move(waiting_.front());
    waiting_.pop_front();
    if (errand->state == Errand::State::kWaiting && errand->client_is_gone &&
        errand->client_is_gone()) {
      errand->state = Errand::State::kGone;
      give_back(errand->request.client);
      if (errand->wake) std::exchange(errand->wake, nullptr)();
      continue;
    }
    errand->state = Errand::State::kInWork;
    ++in_work_;
    {
      const std::lock_guard lock(mutex_);
      handed_out_.push_back(errand);
    }
    changed_.notify_one();
  }
  metrics_.waiting = std::ssize(waiting_);
  metrics_.in_work = in_work_;
}

void Desk::finished(const std::shared_ptr<Errand>& errand) {
  --in_work_;
  give_back(errand->request.client);
  errand->state = Errand::State::kDone;
  errand->client_is_gone = nullptr;
  if (errand->wake) std::exchange(errand->wake, nullptr)();
  start();
}

void Desk::give_back(const std::string& client) {
  const auto found = of_client_.find(client);
  if (found != of_client_.end() && --found->second == 0) of_client_.erase(found);
}

void Desk::work() {
  for (;;) {
    std::shared_ptr<Errand> errand;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ends_ || !handed_out_.empty(); });
      if (ends_) return;
      errand = std::move(handed_out_.front());
      handed_out_.pop_front();
    }
    try {
      errand->response = service_.answer(errand->request);
    } catch (...) {
      errand->response = problem(500, "a fault of the server");
      add_standard_headers(errand->response, errand->request.path);
    }
    to_sockets_([this, errand] { finished(errand); });
  }
}

}  // namespace commonplace::server
