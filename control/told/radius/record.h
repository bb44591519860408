// A session of the RADIUS source with the names by which requests find it.
#pragma once
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "control/told/radius/attributes.h"
#include "control/told/session.h"
#include "dataplane/base/time.h"

namespace control::told::radius {

struct Record {
  Session session;  // the sink has it likewise
  std::string nas, nas_identifier, acct_session_id, user, station, imsi;
  std::uint64_t serial = 0;  // counts records; none has that of another
  std::uint64_t boot = 0;    // the NAS's, at the last start or interim (Nas::boot)
  dp::Time event{};          // when it happened that was told last
  dp::Time due{};            // end of its silence, or of its delay after a stop
  // Places in the lists of Sessions; in that of a NAS only while it is live.
  std::list<Record*>::iterator place{}, place_of_nas{};

  bool ending() const noexcept { return session.state == SessionState::ending; }
  // The names under which it is in a NameIndex.
  std::vector<std::string> names() const;
  // True if each identification that a request has (RFC 5176 section 3) is this session's.
  bool fits(const Told& told) const;
};

// The spelling of names, each kind apart from the others.
std::string name_of(const dp::UeAddress& ue);
std::string name_of_acct_session(const std::string& acct_session_id);
std::string name_of_user(const std::string& user);
std::string name_of_station(const std::string& station);
std::string name_of_imsi(const std::string& imsi);

// Records by name; several may have one. A step takes the logarithm of all.
class NameIndex {
 public:
  void add(Record& record);
  void remove(Record& record);  // by the names that it has had since add()
  // The first records of a name by age, at most `most`.
  std::vector<Record*> find(const std::string& name, std::size_t most) const;
  std::size_t size() const noexcept { return records_.size(); }

 private:
  std::map<std::pair<std::string, std::uint64_t>, Record*> records_;  // by name and serial
};

}  // namespace control::told::radius
