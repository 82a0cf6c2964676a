#include "gates/decision.h"

namespace perfgate::gates {

Comparison outline(const GateSpec& gate, const MetricValue& head, const BaselineSeries& base) {
  Comparison row;
  row.metric = gate.metric;
  row.kind = head.kind;
  row.unit = head.unit;
  row.better = gate.better.value_or(head.better);
  row.head = head.value;
  row.n_base = static_cast<int>(base.points.size());
  row.n_head = static_cast<int>(head.samples.size());
  return row;
}

}  // namespace perfgate::gates
