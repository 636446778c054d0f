// What the figures are to be, and whether they are.

const MOST_OVER_FLOOR = 1.5;
const MOST_OVER_FLOOR_IN_WRITES = 2;
// The floor stores nothing.
const MOST_OVER_FLOOR_IN_KEYED_WRITES = 3;
const MOST_OVER_FLOOR_IN_TYPENAME = 2.5;
/** For the workloads that call the service together, as a geometric mean. */
const MOST_OVER_FLOOR_OVERALL = 1.7;
const LONGEST_START_MS = 450;
const MOST_MIB = 100;
const MOST_SUBSCRIBERS_MIB = 20;

/** The aim for the processor's time of a workload, as a multiple of the floor. */
export function mostOverFloor(workload) {
  if (!workload.callsService) return MOST_OVER_FLOOR_IN_TYPENAME;
  if (workload.isKeyed) return MOST_OVER_FLOOR_IN_KEYED_WRITES;
  return workload.isWrite ? MOST_OVER_FLOOR_IN_WRITES : MOST_OVER_FLOOR;
}

/** Every aim that the figures tell something of: `{ aim, measured, isMet }`. */
export function judge({ rows, startUps, subscribers }) {
  const judged = rows.filter(({ figures }) => figures.ours && figures.floor);
  const workloads = [...new Set(judged.map(({ workload }) => workload))];
  return [
    ...workloads.flatMap((workload) => workloadAims(workload, rowsOf(judged, workload))),
    ...overallAims(judged),
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

function overallAims(rows) {
  const names = [...new Set(rows.map(({ setting }) => setting.name))];
  const means = names.flatMap((name) => {
    const calling = rows.filter(({ workload, setting }) => workload.callsService && setting.name === name);
    const isDecisive = calling.length > 0 && calling[0].setting.isJudged;
    return isDecisive ? [geometricMean(calling.map(ratio('cpuUs', 'floor')))] : [];
  });
  const text = `overall: CPU at most ${MOST_OVER_FLOOR_OVERALL} × the floor`;
  return means.length === 0 ? [] : [ratioAim(text, means, (one) => one <= MOST_OVER_FLOOR_OVERALL)];
}

const geometricMean = (numbers) =>
  Math.exp(numbers.reduce((sum, one) => sum + Math.log(one), 0) / numbers.length);

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
    aim(`at most ${MOST_MIB} MiB after it`, `${residentMiB.toFixed(0)} MiB`, residentMiB <= MOST_MIB),
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
