#pragma once

#include <string>
#include <vector>

#include "commonplace/library/library.h"
#include "commonplace/search/index.h"
#include "commonplace/search/model.h"

namespace commonplace::search {

/// A topic of a search model, for people.
struct TopicSummary {
  std::string name;                  ///< "shared 3", or its members and a number
  std::vector<std::string> members;  ///< collections that have it
  std::vector<std::string> terms;    ///< foremost first, as written
  std::vector<float> weights;        ///< of the terms, 0 .. 1
  struct Example {
    std::string collection;
    std::string id;
  };
  std::vector<Example> examples;  ///< the items that show it most
  double share = 0;               ///< of the target's codes that it has
};
template <class Visit>
void visit_fields(const TopicSummary::Example& example, Visit&& visit) {
  visit("collection", example.collection, "of the item");
  visit("id", example.id, "its name there");
}
template <class Visit>
void visit_fields(const TopicSummary& topic, Visit&& visit) {
  visit("topic", topic.name, "its name");
  visit("collections", topic.members, "that have it");
  visit("share", topic.share, "of the items it is of");
  visit("terms", topic.terms, "that stand for it, foremost first");
  visit("weights", topic.weights, "of the terms, 0 to 1");
  visit("examples", topic.examples, "items that show it most");
}

/// The names of the collections that a model knows: the target, then those that lend.
std::vector<std::string> collections_of(const Model& model);

/// The topic of that column of the basis, without examples; its `terms` foremost terms.
TopicSummary topic_summary(const Model& model, int topic, std::size_t terms);

/// All topics, shared ones first; those of the target by falling share. O(items topics).
std::vector<TopicSummary> topic_summaries(const Library& library, const Model& model,
                                          const Index& index, std::size_t terms,
                                          std::size_t examples, int jobs);

}  // namespace commonplace::search
