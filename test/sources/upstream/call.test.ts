import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { always, fakeSurface, guarded, readOf, writeOf } from '../../support/fake-surface.ts';

test.each([
  ['read', () => readOf()],
  ['write', () => writeOf()],
])(
  'a %s that has ended keeps nothing of its operation, however long something refers to it',
  async (_, make) => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const fake = fakeSurface(always(200));
    const handlers: unknown[] = [];
    const upstream = guarded({
      send(request, handler) {
        handlers.push(handler);
        fake.send(request, handler);
        fake.forget();
      },
      close: async () => undefined,
    });
    const request = (() => {
      const call = make();
      void upstream.send(call);
      return new WeakRef(call);
    })();
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    expect(handlers).toHaveLength(1);
    expect(request.deref()).toBeUndefined();
  },
);
