"""The rows of the dashboard and their panels; panels.py has their words, make_dashboard.py writes them."""
from panels import Row, counts, nonzero, panel, per_second, quantiles, ratio, raw, stat, values

BITS, BYTES, FRAMES, EVENTS, NUMBER, SHARE, SECONDS = 'bps', 'bytes', 'pps', 'cps', 'short', 'percentunit', 's'
OK, BAD = 'green', 'red'

WIRE = Row('Wire', [
    stat('Mode', 'The mode of the box; only inline shapes.', NUMBER, raw('rncd_mode == 1', '{{mode}}'), show='name'),
    stat('Links up', 'Ports that pass frames: below 2 the wire is cut.', NUMBER, values('rncd_port_up'),
         steps=[(BAD, None), (OK, 2)]),
    stat('Bearers', 'Bearers that there are.', NUMBER, values('rncd_bearers')),
    stat('Unaccounted frames', 'Any value but 0 is a fault in rncd: please report it.', NUMBER,
         values('rncd_unaccounted_frames'), steps=[(BAD, None), (OK, 0), (BAD, 1)]),
    stat('Version', 'The version that runs.', NUMBER, raw('rncd_build_info', '{{version}}'), show='name'),
    stat('Time since the start', 'A value that falls without a restart of yours: rncd has died, or was upgraded.',
         SECONDS, raw('time() - process_start_time_seconds', '')),
    panel('Frames by the way that they took', 'With two AF_XDP ports: to the workers (normal), across in the kernel '
          '(bypass, shortcut; not shaped), or nowhere. Bypass means that a worker is dead or hangs.', FRAMES,
          nonzero(per_second('rncd_wire_frames_total', 'port way'))),
    panel('Failovers of the wire', 'Times that frames began to go around a worker, and ports of which they do so now. '
          'Any is worth a look at rncd\'s log.', NUMBER, nonzero(counts('rncd_failovers_total', 'port', 'failovers')),
          nonzero(values('rncd_bypass_active', 'port', 'bypassed now'))),
    panel('Packet buffers', 'Buffers in use, retained copies, and the number there are. Near the top frames are '
          'dropped with the reason pool.', NUMBER, values('rncd_mbufs_in_use', '', 'in use'),
          values('rncd_mbufs', '', 'there are'), values('rncd_retained_frames', '', 'retained')),
    panel('VLAN tags put back', 'Tags that the kernel had taken off frames and the XDP program put back.', FRAMES,
          nonzero(per_second('rncd_wire_restored_vlan_tags_total', 'port'))),
    panel('Octets at risk that died with rncd', 'What the rncd before this one had acknowledged and not delivered when '
          'it died. Connections of these octets were lost.', BYTES,
          nonzero(values('rncd_wire_inherited_at_risk_bytes'))),
])

PORTS = Row('Ports', [
    panel('Throughput', 'Bits received and sent by port, link header included.', BITS,
          per_second('rncd_received_bytes_total', 'port', 'received', scale=8),
          per_second('rncd_sent_bytes_total', 'port', 'sent', scale=8)),
    panel('Frames received', 'Frames received by port.', FRAMES, per_second('rncd_received_frames_total', 'port')),
    panel('Frames sent', 'Frames sent by port.', FRAMES, per_second('rncd_sent_frames_total', 'port')),
    panel('Frames dropped, by reason', 'Frames dropped, by the port that received them. buffer_* and aqm belong to '
          'shaping; pool, egress_full, worker_full and port_down are troubles of the box.', FRAMES,
          nonzero(per_second('rncd_dropped_frames_total', 'port reason'))),
    panel('Frames past the bearers', 'Frames sent on unshaped, by the reason. Many unknown_bearer: UEs have no bearer.',
          FRAMES, nonzero(per_second('rncd_passed_frames_total', 'port reason'))),
    panel('Frames created', 'Frames that rncd made itself, by the port that they are for: ACKs, copies, repairs.',
          FRAMES, nonzero(per_second('rncd_created_frames_total', 'port reason'))),
    panel('Lost in drivers', 'Frames lost before receive or after transmit. A steady rate: the workers are too slow, or '
          'the queues too few.', FRAMES, nonzero(per_second('rncd_port_losses_total', 'port kind'))),
    panel('Ports bound again', 'Times that a port was bound again after its interface or XDP program was gone. Several '
          'in ten minutes: find who takes the interface away.', NUMBER,
          nonzero(counts('rncd_port_rebinds_total', 'port'))),
    panel('Ports, by state', 'The state of each port, and ports whose interface has changed so that frames are lost '
          '(unfit). All but up needs care.', NUMBER, raw('rncd_port_state == 1', '{{port}} {{state}}'),
          nonzero(values('rncd_port_unfit', 'port', 'unfit'))),
])

WORKERS = Row('Workers', [
    panel('Workers busy', 'Share of the time in polls that did something. Above 0.9 frames soon wait, and then are '
          'lost in drivers.', SHARE, values('rncd_worker_busy_ratio', 'worker')),
    panel('CPU taken from workers', 'Share of the time in which other threads had the CPU of a worker. More than 0.02: '
          'give it a CPU of its own.', SHARE, per_second('rncd_worker_stolen_seconds_total', 'worker')),
    panel('Imbalance of workers', 'Busy ratio of the busiest worker less that of the idlest. High for long: move '
          'bearers, or look at their cells.', SHARE, values('rncd_worker_imbalance_ratio')),
    panel('Cycles per packet', 'CPU cycles for a frame in polls that did something. A rise at equal load costs '
          'throughput.', NUMBER, values('rncd_worker_cycles_per_packet', 'worker')),
    panel('Workers that poll', '1 while a worker polls. 0 means that it hangs: its UEs get nothing.', NUMBER,
          values('rncd_worker_polling', 'worker')),
    panel('Frames of workers', 'Frames that each worker received and sent. Very unequal: the spread over queues is '
          'poor.', FRAMES, per_second('rncd_worker_received_frames_total', 'worker', 'received'),
          per_second('rncd_worker_sent_frames_total', 'worker', 'sent')),
    panel('Frames handed over', 'Frames that workers gave to others and took from others. Each costs both some cycles.',
          FRAMES, per_second('rncd_worker_given_frames_total', 'worker', 'given'),
          per_second('rncd_worker_taken_frames_total', 'worker', 'taken')),
    panel('Bearers of workers', 'Bearers that each worker has.', NUMBER, values('rncd_worker_bearers', 'worker')),
    panel('Bearers moved, by cause', 'Bearers that went to another worker. Many by load: the load changes too fast for '
          'moving.', NUMBER, nonzero(counts('rncd_moved_bearers_total', 'cause'))),
    panel('Timers of workers', 'Deadlines armed. They grow with the bearers and flows that have something to send.', NUMBER,
          values('rncd_worker_timers', 'worker')),
])

CLASSES = Row('Classes', [
    panel('Delivered, by class', 'IP bits of SDUs delivered.', BITS,
          per_second('rncd_delivered_bytes_total', 'class direction', scale=8)),
    panel('SDUs delivered, by class', 'SDUs whose last bit has been sent.', FRAMES,
          per_second('rncd_delivered_sdus_total', 'class direction')),
    panel('Sojourn time, by class', 'Time from an SDU\'s arrival to its last bit sent: median and 99th percentile. Far '
          'above the target of the AQM: it does not hold the queue.', SECONDS,
          quantiles('rncd_sojourn_seconds', 'class direction')),
    panel('In buffers, by class', 'IP bytes in bearer buffers.', BYTES, values('rncd_buffer_bytes', 'class direction')),
    panel('Buffer occupancy, by class', 'SDUs in bearer buffers.', NUMBER,
          values('rncd_buffer_sdus', 'class direction')),
    panel('SDUs dropped by bearers, by reason', 'SDUs that bearers dropped. aqm is the policy at work, buffer_* a full '
          'buffer, radio and rlc the link.', FRAMES,
          nonzero(per_second('rncd_dropped_sdus_total', 'class direction reason'))),
    panel('SDUs marked, by class', 'SDUs that bearers sent on with CE set, not dropped.', FRAMES,
          nonzero(per_second('rncd_marked_sdus_total', 'class direction'))),
    panel('SDUs dropped by AQM, by policy', 'SDUs that AQM policies dropped, in all classes.', FRAMES,
          nonzero(per_second('rncd_aqm_dropped_sdus_total', 'policy direction'))),
    panel('SDUs marked by AQM, by policy', 'SDUs that AQM policies had marked with CE, in all classes.', FRAMES,
          nonzero(per_second('rncd_aqm_marked_sdus_total', 'policy direction'))),
    panel('Bearers, by AQM', 'Bearers whose buffer has the policy.', NUMBER,
          nonzero(values('rncd_aqm_bearers', 'policy direction'))),
    panel('RLC PDUs, by kind', 'RLC AM PDUs sent: new, retransmitted and status.', FRAMES,
          nonzero(per_second('rncd_rlc_pdus_total', 'class direction kind'))),
    panel('RLC retransmission ratio', 'PDUs sent again over all PDUs with data. It follows the errors of the air; far '
          'above them, polls or timers are set badly.', SHARE,
          ratio('rncd_rlc_pdus_total{kind="retransmitted"}', 'rncd_rlc_pdus_total{kind=~"new|retransmitted"}',
                'class direction')),
    panel('Air frame error ratio', 'Frames lost over frames sent on the air.', SHARE,
          ratio('rncd_rlc_frames_total{outcome="lost"}', 'rncd_rlc_frames_total', 'class direction')),
    panel('RLC discards and resets', 'RLC procedures that gave data up. Resets mean that the air is too bad for its '
          'settings.', NUMBER, nonzero(counts('rncd_rlc_recoveries_total', 'class direction kind'))),
])

CELLS = Row('Cells', [
    panel('Slots of cells, by their taker', 'Slots given to short flows, to long ones, to nobody. None to nobody: the '
          'cell is full of work.', EVENTS, per_second('rncd_cell_slots_total', 'cell to')),
    panel('Capacity of the slots given', 'Bits that the slots given could carry: above what the sector carries, the '
          'queue stands below rncd.', BITS, per_second('rncd_cell_bytes_total', 'cell', scale=8)),
    panel('Bearers in cells', 'Places taken, and bearers that have something to send.', NUMBER,
          values('rncd_cell_members', 'cell', 'members'), values('rncd_cell_backlogged', 'cell', 'backlogged')),
    panel('Stale reports', 'Reported rates that were too old when a slot asked: whoever sends reports is late.', EVENTS,
          nonzero(per_second('rncd_cell_stale_reports_total', 'cell'))),
    panel('UEs that a full cell refused', 'Times that a UE was not learnt since the cell was full: raise '
          'cells.NAME.members.', EVENTS, nonzero(per_second('rncd_cell_refused_total', 'cell'))),
], collapsed=True)

BEARERS = Row('Bearers', [
    panel('Bearers, by class', 'Bearers that there are.', NUMBER, values('rncd_bearers', 'class')),
    panel('Bearers and their table', 'All bearers, and what the table holds (dataplane.max_bearers). Near it UEs are '
          'not learnt.', NUMBER, values('rncd_bearers', '', 'bearers'), values('rncd_bearer_capacity', '', 'capacity')),
    panel('Bearers learnt and aged', 'Bearers made for UEs first heard of, and learnt ones that ended, by cause. Many '
          'displaced: somebody scans, or the limit is too low.', EVENTS,
          per_second('rncd_learnt_bearers_total', '', 'learnt'),
          nonzero(per_second('rncd_aged_bearers_total', 'cause'))),
    panel('Frames of UEs not learnt, by reason', 'Frames that a rule would have learnt a UE from. limit: raise the '
          'rule\'s limit; stock_empty: new UEs come too fast.', FRAMES,
          nonzero(per_second('rncd_unlearnt_frames_total', 'reason'))),
    panel('Prepared bearers', 'Bearers that wait for UEs to be learnt; at 0 the next new UE is treated as unknown.',
          NUMBER, values('rncd_stocked_bearers', 'worker')),
    panel('Fullest bearers', 'IP bytes in the fullest buffers; only with metrics.per_bearer.top.', BYTES,
          values('rncd_bearer_buffer_bytes', 'ue direction')),
    panel('SDUs in the fullest bearers', 'Buffer occupancy of the fullest bearers.', NUMBER,
          values('rncd_bearer_buffer_sdus', 'ue direction')),
    panel('Delivered to the fullest bearers', 'IP bits delivered to the fullest bearers.', BITS,
          per_second('rncd_bearer_delivered_bytes_total', 'ue direction', scale=8)),
    panel('Dropped by the fullest bearers', 'SDUs that the fullest bearers dropped.', FRAMES,
          nonzero(per_second('rncd_bearer_dropped_sdus_total', 'ue direction'))),
    panel('RLC PDUs of the fullest bearers', 'RLC AM PDUs of the fullest bearers, by kind; only with the link am.',
          FRAMES, nonzero(per_second('rncd_bearer_rlc_pdus_total', 'ue direction kind'))),
    panel('Frames of the fullest bearers on the air', 'Frames of the fullest bearers, by their fate. Much lost: this '
          'UE has a bad radio.', FRAMES, nonzero(per_second('rncd_bearer_rlc_frames_total', 'ue direction outcome'))),
    panel('RLC discards and resets of the fullest bearers', 'RLC procedures of the fullest bearers that gave data up.',
          NUMBER, nonzero(counts('rncd_bearer_rlc_recoveries_total', 'ue direction kind'))),
], collapsed=True)

ACK_STAGES = Row('ACK stages', [
    panel('ACKs at stages, by event', 'What stages did with ACKs and segments. Much overflowed: the chain holds as '
          'many as it may.', EVENTS, nonzero(per_second('rncd_ack_events_total', 'class stage event'))),
    panel('ACKs held', 'ACKs that stages hold.', NUMBER, values('rncd_held_acks', 'class')),
    panel('Segments kept', 'Segments that stages keep until the UE has them; they occupy packet buffers.', NUMBER,
          values('rncd_kept_segments', 'class')),
    panel('TCP connections followed', 'TCP connections that stages follow.', NUMBER, values('rncd_flows', 'class')),
    panel('Segments that no stage saw', 'TCP segments that passed all stages: the bearer\'s table of flows was full '
          '(raise uplink.flows.max), or the checksum was wrong.', EVENTS,
          nonzero(per_second('rncd_unfollowed_segments_total', 'class', 'table full')),
          nonzero(per_second('rncd_corrupt_segments_total', 'class', 'checksum'))),
], collapsed=True)

SPLIT_PROXY = Row('Split proxy', [
    panel('Split connections', 'TCP connections that split proxies have, by state.', NUMBER,
          values('rncd_proxy_flows', 'class state')),
    panel('Split proxies: stored, and at risk', 'Octets stored until the UE has acknowledged them; those at risk would '
          'be lost with the box.', BYTES, values('rncd_proxy_stored_bytes', 'class', 'stored'),
          values('rncd_proxy_at_risk_bytes', 'class', 'at risk')),
    panel('Split proxies: acknowledged early', 'Bits acknowledged to servers before the UE had acknowledged them.',
          BITS, per_second('rncd_proxy_acked_bytes_total', 'class', scale=8)),
    panel('Split proxies: sent again, timeouts, windows closed', 'Segments sent to UEs again, timeouts towards UEs, '
          'and times that a server was told a window of 0. Many timeouts: the radio loses what the link does not '
          'repair.', EVENTS, nonzero(per_second('rncd_proxy_retransmissions_total', 'class', 'sent again')),
          nonzero(per_second('rncd_proxy_timeouts_total', 'class', 'timeouts')),
          nonzero(per_second('rncd_proxy_window_closed_total', 'class', 'window closed'))),
    panel('Connections not split, and reset, by reason', 'Connections that passed unsplit, and split ones that were '
          'reset with octets at risk. Each reset is a broken transfer.', NUMBER,
          nonzero(counts('rncd_proxy_unsplit_total', 'class why', 'not split')),
          nonzero(counts('rncd_proxy_resets_total', 'class why', 'reset'))),
    panel('Connections that gave way', 'Split connections let go so that another could be split: proxy limits are '
          'reached.', NUMBER, nonzero(counts('rncd_proxy_gave_way_total', 'class'))),
], collapsed=True)

GTP_U = Row('GTP-U', [
    panel('GTP-U: no packet of a user within, by reason', 'Frames between tunnels\' ends that crossed unshaped. '
          'fragment: raise the MTU between the ends.', FRAMES,
          nonzero(per_second('rncd_gtp_u_unparsed_total', 'port reason'))),
    panel('GTP-U: messages between tunnels\' ends', 'Frames with a GTP-U message that is no G-PDU; they cross '
          'untouched.', FRAMES, per_second('rncd_passed_frames_total{reason="gtp_u_message"}', 'port')),
    panel('GTP-U: messages, by type', 'GTP-U messages that are no G-PDU, by type. Error indications: an end does not '
          'know a tunnel.', EVENTS, nonzero(per_second('rncd_gtp_u_messages_total', 'port message'))),
    panel('GTP-U: changes of tunnels', 'Times that a bearer\'s packets came by another tunnel than before: handovers.',
          NUMBER, nonzero(counts('rncd_gtp_u_tunnel_changes_total'))),
    panel('GTP-U: round trip of echoes', 'Mean round trip of echoes over ten minutes, from rncd to the responder and '
          'back.', SECONDS,
          ratio('rncd_gtp_u_echo_round_trip_seconds_sum', 'rncd_gtp_u_echo_round_trip_seconds_count',
                'requester responder', '10m')),
    panel('GTP-U: echo requests', 'Echo requests of each path, and echoes that are in no series by path.', EVENTS,
          per_second('rncd_gtp_u_echo_requests_total', 'requester responder'),
          nonzero(per_second('rncd_gtp_u_echo_unmeasured_total', '', 'unmeasured'))),
    panel('GTP-U: echo requests without response', 'Echo requests since the last response; 3 and more: the responder, '
          'or the path to it, is down.', NUMBER, values('rncd_gtp_u_echo_unanswered', 'requester responder')),
], collapsed=True)

CONTROL = Row('Control', [
    panel('Configuration and state: 1 is well', 'The outcome of the last reload and of the last saving of the state '
          '(0: refused or failed; the log says why), and whether a change waits to be confirmed.', NUMBER,
          values('rncd_config_last_reload_successful', '', 'last reload'),
          values('rncd_state_last_save_successful', '', 'last saving of the state'),
          values('rncd_config_on_trial', '', 'a change on trial')),
    panel('Time since the last reload and saving', 'Time since a reload, and a saving of the state, was done last.',
          SECONDS, raw('time() - (rncd_config_last_reload_timestamp_seconds > 0)', 'reload'),
          raw('time() - (rncd_state_last_save_timestamp_seconds > 0)', 'saving of the state')),
    panel('Reconfigurations', 'Running bearers that were changed, and frames that such changes lost. Lost frames '
          'should be 0.', NUMBER, counts('rncd_reconfigure_seconds_count', '', 'bearers changed'),
          nonzero(counts('rncd_reconfigure_lost_frames_total', '', 'frames lost'))),
    panel('Time to reconfigure a bearer', 'Time from the last byte of a request until it is in force: median and 99th '
          'percentile.', SECONDS, quantiles('rncd_reconfigure_seconds', '')),
    panel('Clients of control sockets', 'Connections to the control sockets. Near the bound newcomers replace idle '
          'ones.', NUMBER, values('rncd_control_connections', 'socket')),
    panel('Buffers of control sockets', 'Bytes held for requests and answers of clients.', BYTES,
          values('rncd_control_buffer_bytes', 'socket')),
    panel('Clients cut off, by reason', 'Clients that got no connection, or lost it. refused: too many clients at '
          'work.', NUMBER, nonzero(counts('rncd_control_cut_connections_total', 'socket reason'))),
    panel('Lines of the log dropped', 'Lines that were lost because nobody read the log.', NUMBER,
          nonzero(counts('rncd_log_dropped_lines_total'))),
], collapsed=True)

TOLD = Row('Rates told by the core (rncd-told)', [
    stat('Connected to rncd', '1 is yes. 0: what the core signals is not applied, and bearers go after two minutes.',
         NUMBER, values('rncd_told_connected'), steps=[(BAD, None), (OK, 1)]),
    stat('Drift', 'Bearers that are not, or not known to be, as the core signals. More than 0 for a minute: `rncctl '
         'show sessions` has the reason of each.', NUMBER, values('rncd_told_drift'), steps=[(OK, None), (BAD, 1)]),
    stat('Sessions', 'Sessions of all sources.', NUMBER, values('rncd_told_sessions')),
    stat('Version of rncd-told', 'The version that runs.', NUMBER, raw('rncd_told_build_info', '{{version}}'),
         show='name'),
    panel('Sessions, by source and state', 'Sessions that rncd-told has. Many stale: a UP function, a CP function or a '
          'NAS has restarted. A fall to 0 without a restart: the mirror or the accounting has stopped.', NUMBER,
          nonzero(values('rncd_told_sessions', 'source state'))),
    panel('Messages, by kind and result', 'Messages of the sources. unknown_source, wrong_secret: strangers, or a NAS '
          'that is set up wrongly. unknown_session, unmatched: the mirror loses packets.', EVENTS,
          nonzero(per_second('rncd_told_messages_total', 'source kind result'))),
    panel('Time until a change is in force', 'Time from a message on the wire to rncd\'s answer: median and 99th '
          'percentile. A PFCP request waits for its response, which is in it.', SECONDS,
          quantiles('rncd_told_apply_seconds', '')),
    panel('Calls that rncd refused', 'Calls of rncd-told that rncd refused. Any is worth a look at the log of '
          'rncd-told.', NUMBER, nonzero(counts('rncd_told_refusals_total'))),
    panel('Datagrams and sessions lost', 'Datagrams that were not read, since the kernel\'s buffer was full or they '
          'were too long, and sessions beyond max_sessions.', NUMBER,
          nonzero(counts('rncd_told_dropped_datagrams_total', 'source', 'datagrams')),
          nonzero(counts('rncd_told_sessions_not_taken_total', 'source', 'sessions'))),
], collapsed=True)

ROWS = [WIRE, PORTS, WORKERS, CLASSES, CELLS, BEARERS, ACK_STAGES, SPLIT_PROXY, GTP_U, TOLD, CONTROL]
