// The chart: processor time per request as a multiple of the floor's, one group of bars for each workload. Each bar is
// named and numbered, so that nothing depends on telling colours apart.
import { mostOverFloor } from './aims.mjs';

const WIDTH = 860;
const NAMES_END = 190;
const LONGEST_BAR = 560;
const BAR = 18;
const GROUP_GAP = 44;
const TOP = 92;
const COLOURS = { ours: '#1d5c4d', floor: '#8a8478', mercurius: '#b5651d', apollo: '#6d4c9f' };

/** The rows of one setting as an SVG. */
export function chartOf(rows, names) {
  const groups = rows.map((row) => ({
    row,
    bars: names.map((name) => ({ name, ratio: row.figures[name].cpuUs / row.figures.floor.cpuUs })),
  }));
  const largest = Math.max(...groups.flatMap(({ bars }) => bars.map(({ ratio }) => ratio)));
  const xOf = (ratio) => NAMES_END + (ratio / largest) * LONGEST_BAR;
  const groupHeight = names.length * BAR + GROUP_GAP;
  const height = TOP + groups.length * groupHeight;
  const title = `CPU per request, as a multiple of the floor (${rows[0].setting.name})`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}"`,
    '  font-family="system-ui, sans-serif" font-size="13" fill="#23211e">',
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    text(24, 34, title, 'font-size="18" font-weight="600"'),
    text(24, 58, 'Shorter is better. The dashed line is the most that ours is to take.'),
    ...groups.flatMap((group, index) => groupOf(group, TOP + index * groupHeight, xOf)),
    '</svg>',
    '',
  ].join('\n');
}

function groupOf({ row: { workload }, bars }, top, xOf) {
  const aimX = xOf(mostOverFloor(workload)).toFixed(1);
  const placed = bars.map((bar, index) => ({ ...bar, end: xOf(bar.ratio), top: top + 6 + index * BAR }));
  const bottom = top + 8 + bars.length * BAR;
  return [
    text(24, top - 4, `${workload.name}: ${workload.about}`, 'font-weight="600"'),
    ...placed.map(barOf),
    `<path d="M${aimX} ${top + 2}V${bottom}" stroke="#b3261e" stroke-width="1.5" stroke-dasharray="4 3"/>`,
    ...placed.flatMap(wordsOf),
  ];
}

function barOf({ name, end, top }) {
  const length = (end - NAMES_END).toFixed(1);
  return `<rect x="${NAMES_END}" y="${top}" width="${length}" height="${BAR - 4}" fill="${COLOURS[name]}"/>`;
}

// The line of the aim ends at the figures, or they could not be read.
function wordsOf({ name, ratio, end, top }) {
  return [
    text(NAMES_END - 8, top + 12, name, 'text-anchor="end"'),
    text(
      end + 8,
      top + 12,
      `${ratio.toFixed(2)} ×`,
      'stroke="#ffffff" stroke-width="4" paint-order="stroke"',
    ),
  ];
}

function text(x, y, words, attributes = '') {
  return `<text x="${x.toFixed(1)}" y="${y}" ${attributes}>${words}</text>`;
}
