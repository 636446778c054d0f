// The figures as tables, for people who read them in a terminal or on a page.

/** All tables, in Markdown. */
export function tablesOf({ rows, startUps, subscribers, aims, names }) {
  const byRow = (cell) => comparison(rows, names, cell);
  const sections = {
    Aims: table(['Aim', 'Measured', 'Met'], aims.map(aimRow)),
    'CPU per request, in µs (and as a multiple of the floor)': byRow(cpuCell),
    'Requests per second': byRow(({ perSecond }) => perSecond.toFixed(0)),
    'Time to the answer, median, in ms': byRow(({ p50Ms }) => p50Ms.toFixed(2)),
    'Calls to the service per request': byRow(({ calls }) => calls.toFixed(2)),
    'Resident memory, in MiB': byRow(({ residentMiB }) => residentMiB.toFixed(0)),
    Start: startTable(startUps),
    'Live subscribers of ours': subscriberTable(subscribers),
  };
  return Object.entries(sections)
    .filter(([, lines]) => lines.length > HEAD_LINES)
    .map(([title, lines]) => `### ${title}\n\n${lines.join('\n')}\n`)
    .join('\n');
}

const HEAD_LINES = 2;

function aimRow({ aim, measured, isMet }) {
  return [aim, measured, isMet ? 'yes' : '**no**'];
}

function cpuCell({ cpuUs }, figures) {
  const times = figures.floor ? ` (${(cpuUs / figures.floor.cpuUs).toFixed(2)})` : '';
  return `${cpuUs.toFixed(0)}${times}`;
}

function comparison(rows, names, cell) {
  return table(
    ['Workload', 'Users', ...names],
    rows.map(({ workload, setting, figures }) => [
      workload.name,
      setting.name,
      ...names.map((name) => cell(figures[name], figures)),
    ]),
  );
}

function startTable(startUps) {
  return table(
    ['Contestant', 'First answer after, in ms', 'Resident memory then, in MiB'],
    Object.entries(startUps).map(([name, { ms, residentMiB }]) => [
      name,
      ms.toFixed(0),
      residentMiB.toFixed(0),
    ]),
  );
}

function subscriberTable(figures) {
  const heads = [
    'Subscribers',
    'Resident memory added, in MiB',
    'Heap added, in MiB',
    'CPU per event told, in µs',
  ];
  if (figures === null) return table(heads, []);
  const { subscribers, addedResidentMiB, addedHeapMiB, cpuUsPerEvent } = figures;
  return table(heads, [
    [subscribers, addedResidentMiB.toFixed(1), addedHeapMiB.toFixed(1), cpuUsPerEvent.toFixed(0)],
  ]);
}

// In columns of one width, as the project's formatter would have it.
function table(heads, rows) {
  const texts = [heads, ...rows].map((cells) => cells.map(String));
  const widths = heads.map((_, column) => Math.max(...texts.map((cells) => cells[column].length)));
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const [head, ...others] = texts.map(line);
  return [head, line(widths.map((width) => '-'.repeat(width))), ...others];
}
