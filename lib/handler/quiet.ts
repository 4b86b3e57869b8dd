import type { Observe } from '../ports/world.ts';

/** An observer whose trouble changes no verdict: neither what it throws nor a promise that it lets fail. */
export const quiet =
  (observe: Observe): Observe =>
  (happening) => {
    try {
      const answer: unknown = observe(happening);
      if (answer instanceof Promise) answer.catch(() => {});
    } catch {
      // Nothing hangs on an observer.
    }
  };
