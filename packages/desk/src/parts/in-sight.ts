import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Brings an element into sight whenever what it shows becomes more. */
export function useInSight<T extends HTMLElement>(amount: number): RefObject<T | null> {
  const element = useRef<T>(null);
  const last = useRef(0);
  useEffect(() => {
    if (amount > last.current) element.current?.scrollIntoView({ block: 'nearest' });
    last.current = amount;
  }, [amount]);
  return element;
}
