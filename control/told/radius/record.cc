#include "control/told/radius/record.h"

#include <algorithm>

namespace control::told::radius {

std::string name_of(const dp::UeAddress& ue) { return "ue " + dp::to_string(ue); }
std::string name_of_acct_session(const std::string& acct_session_id) { return "acct " + acct_session_id; }
std::string name_of_user(const std::string& user) { return "user " + user; }
std::string name_of_station(const std::string& station) { return "station " + station; }
std::string name_of_imsi(const std::string& imsi) { return "imsi " + imsi; }

std::vector<std::string> Record::names() const {
  std::vector<std::string> names{name_of_acct_session(acct_session_id)};
  if (!user.empty()) names.push_back(name_of_user(user));
  if (!station.empty()) names.push_back(name_of_station(station));
  if (!imsi.empty()) names.push_back(name_of_imsi(imsi));
  for (const dp::UeAddress& ue : session.ues) names.push_back(name_of(ue));
  return names;
}

bool Record::fits(const Told& told) const {
  const auto alike = [](const std::string& asked, const std::string& own) {
    return asked.empty() || asked == own;
  };
  const bool of_nas =
      alike(told.nas, nas) || (!told.nas_identifier.empty() && told.nas_identifier == nas_identifier);
  return of_nas && alike(told.acct_session_id, acct_session_id) && alike(told.user, user) &&
         alike(told.station, station) && alike(told.imsi, imsi) &&
         std::ranges::includes(session.ues, told.ues);
}

void NameIndex::add(Record& record) {
  for (const std::string& name : record.names()) records_.insert({{name, record.serial}, &record});
}

void NameIndex::remove(Record& record) {
  for (const std::string& name : record.names()) records_.erase({name, record.serial});
}

std::vector<Record*> NameIndex::find(const std::string& name, std::size_t most) const {
  std::vector<Record*> found;
  for (auto at = records_.lower_bound({name, 0}); at != records_.end() && at->first.first == name; ++at) {
    if (found.size() == most) break;
    found.push_back(at->second);
  }
  return found;
}

}  // namespace control::told::radius
