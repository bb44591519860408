// Changes the cells of the running data plane: by request, each at its turn among the jobs, and when the
// configuration is read. Owns nothing: the records are in Running. Belongs to the control thread.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "control/loop/client.h"
#include "control/loop/slices.h"
#include "control/plane/bearers.h"
#include "control/plane/running.h"

namespace control {

class Cells {
 public:
  // `was` has no meaning for a new cell, `now` none for one that is gone.
  struct SettingsChange {
    dp::CellSettings was, now;
  };
  // Each is called once, from Jobs::poll() or from the call itself.
  using OnChanged = std::function<void(Ended<SettingsChange>)>;
  using OnReported = std::function<void(Ended<std::uint32_t>)>;  // the number of reports that had no use
  // Returns the settings that a cell of these settings shall have; may throw.
  using MakeSettings = std::function<dp::CellSettings(const dp::CellSettings&)>;
  using Refused = std::function<void(const std::string&)>;

  Cells(Running& running, const Bearers& bearers) : running_(running), bearers_(bearers) {}

  // Makes a new cell; changes one, from its next slot on; removes one, unless a bearer is in it or a rule
  // leads there.
  void add(const std::string& name, const dp::CellSettings& settings, OnChanged done,
           Client client = Client());
  void set(const std::string& name, MakeSettings make, OnChanged done, Client client = Client());
  void remove(const std::string& name, OnChanged done, Client client = Client());
  // Passes on reports of the bits that the next slots would carry to UEs in the cell.
  void report(const std::string& name, CellRecords::Reports reports, OnReported done,
              Client client = Client());

  // Makes the missing ones of these cells, which no worker knows yet; returns all, in their order.
  std::vector<CellRecord*> make(const std::vector<config::Cell>& cells);
  // Makes these cells, lends to their workers those that these do not know, and changes those that differ.
  void bring(const std::vector<config::Cell>& wanted);
  // Removes the cells one after the other, then calls `done`. A cell with bearers in it stays; `refused`
  // receives the reason.
  void remove_all(std::vector<std::string> names, Refused refused, std::function<void()> done);

  CellRecords& records() { return running_.cells; }
  const CellRecords& records() const { return running_.cells; }

 private:
  struct Removal;

  CellRecord& need(const std::string& name);
  void add_now(const std::string& name, const dp::CellSettings& settings);
  void refuse_used_by_rule(const CellRecord& cell);
  void remove_next(const std::shared_ptr<Removal>& removal);
  void forget(const std::string& name);
  Slices settle_rules() const;

  Running& running_;
  const Bearers& bearers_;
};

}  // namespace control
