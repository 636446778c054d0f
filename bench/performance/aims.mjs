// What the figures are to be, and whether they are.

const MOST_OVER_FLOOR = 1.3;
const MOST_OVER_FLOOR_IN_TYPENAME = 3;
const LONGEST_START_MS = 500;
const MOST_MIB = 120;
const MOST_SUBSCRIBERS_MIB = 20;

/** The aim for the processor's time of a workload, as a multiple of the floor. */
export function mostOverFloor(workload) {
  return workload.callsService ? MOST_OVER_FLOOR : MOST_OVER_FLOOR_IN_TYPENAME;
}

/** Every aim that the figures tell something of: `{ aim, measured, isMet }`. */
export function judge({ rows, startUps, subscribers }) {
  const judged = rows.filter(({ figures }) => figures.ours && figures.floor);
  const workloads = [...new Set(judged.map(({ workload }) => workload))];
  return [
    ...workloads.flatMap((workload) => workloadAims(workload, rowsOf(judged, workload))),
    ...startUpAims(startUps.ours),
    ...subscriberAims(subscribers),
  ];
}

const rowsOf = (rows, wanted) => rows.filter(({ workload }) => workload === wanted);

const ratio =
  (figure, other) =>
  ({ figures }) =>
    figures.ours[figure] / figures[other][figure];

function workloadAims(workload, rows) {
  const decisive = rows.filter(({ setting }) => setting.isJudged);
  const besideMercurius = decisive.filter(({ figures }) => figures.mercurius && workload.callsService);
  const calling = rows.filter(() => workload.callsService);
  const varied = calling.filter(({ setting }) => !setting.isAlike);
  const alike = calling.filter(({ setting }) => setting.isAlike);
  const most = mostOverFloor(workload);
  return [
    ratioAim(`CPU at most ${most} × the floor`, decisive.map(ratio('cpuUs', 'floor')), (one) => one <= most),
    ratioAim('CPU not above Mercurius', besideMercurius.map(ratio('cpuUs', 'mercurius')), (one) => one <= 1),
    ratioAim('calls not more than the floor’s', varied.map(ratio('calls', 'floor')), (one) => one <= 1),
    ratioAim('calls of users alike fewer', alike.map(ratio('calls', 'floor')), (one) => one < 1),
  ]
    .filter(({ measured }) => measured !== '')
    .map((found) => ({ ...found, aim: `${workload.name}: ${found.aim}` }));
}

// An aim for every setting that it counts in, in the order of the tables.
function ratioAim(text, ratios, isGood) {
  return aim(text, ratios.map((one) => `${one.toFixed(2)} ×`).join(', '), ratios.every(isGood));
}

function startUpAims(start) {
  if (start === undefined) return [];
  const { ms, residentMiB } = start;
  return [
    aim(
      `first answer within ${LONGEST_START_MS} ms of the start`,
      `${ms.toFixed(0)} ms`,
      ms <= LONGEST_START_MS,
    ),
    aim(`under ${MOST_MIB} MiB after it`, `${residentMiB.toFixed(0)} MiB`, residentMiB < MOST_MIB),
  ];
}

function subscriberAims(figures) {
  if (figures === null) return [];
  const { subscribers, addedResidentMiB } = figures;
  return [
    aim(
      `${subscribers} subscribers who wait add under ${MOST_SUBSCRIBERS_MIB} MiB`,
      `${addedResidentMiB.toFixed(1)} MiB`,
      addedResidentMiB < MOST_SUBSCRIBERS_MIB,
    ),
  ];
}

function aim(text, measured, isMet) {
  return { aim: text, measured, isMet };
}
