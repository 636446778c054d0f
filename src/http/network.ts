import { isIPv4 } from 'node:net';

const GROUPS = 8;
const GROUPS_OF_NETWORK = 4;

/** Returns what an address is counted as: itself, or for IPv6 its /64 network, which belongs to one customer. */
export function networkOf(address: string): string {
  const bare = address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
  if (isIPv4(bare)) return bare;
  const [before = [], after] = bare.split('::').map((side) => side.split(':').filter(Boolean));
  const zeros = after ? GROUPS - before.length - after.length : 0;
  const groups = [...before, ...Array<string>(Math.max(zeros, 0)).fill('0'), ...(after ?? [])];
  return groups.slice(0, GROUPS_OF_NETWORK).join(':');
}
