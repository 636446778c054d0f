import { isIPv4 } from 'node:net';

const GROUPS = 8;
const GROUPS_OF_NETWORK = 4;

/** What an address is counted as: itself, or under IPv6 the network of 64 bits, all of which one customer has. */
export function networkOf(address: string): string {
  const bare = address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
  if (isIPv4(bare)) return bare;
  const [before = [], after] = bare.split('::').map((side) => side.split(':').filter(Boolean));
  const zeros = after ? GROUPS - before.length - after.length : 0;
  const groups = [...before, ...Array<string>(Math.max(zeros, 0)).fill('0'), ...(after ?? [])];
  return groups.slice(0, GROUPS_OF_NETWORK).join(':');
}
