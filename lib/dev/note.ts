/** What happens while a project runs in development; the command prints these. */
export type Note =
  | { readonly kind: 'worker-started'; readonly name: string; readonly pid: number }
  | {
      readonly kind: 'worker-ended';
      readonly name: string;
      readonly pid: number;
      readonly why: string;
    }
  | {
      readonly kind: 'invoked';
      readonly name: string;
      readonly pid: number;
      readonly messages: readonly Noted[];
    }
  | {
      readonly kind: 'answered';
      readonly name: string;
      readonly pid: number;
      readonly count: number;
      readonly failed: number;
      readonly took: number;
    }
  | { readonly kind: 'invocation-failed'; readonly name: string; readonly why: string }
  | { readonly kind: 'not-loaded'; readonly name: string; readonly why: string }
  | { readonly kind: 'source-failed'; readonly name: string; readonly why: string }
  | {
      /** Handled messages that their queue keeps, and will bring again. */
      readonly kind: 'not-deleted';
      readonly name: string;
      readonly ids: readonly string[];
      readonly why: string;
    }
  | {
      readonly kind: 'reloaded';
      readonly added: readonly string[];
      readonly removed: readonly string[];
      /** What the environment of the project's other processes is from now on. */
      readonly environment: Readonly<Record<string, string>>;
    };

/** A message of a batch, without its body. */
export interface Noted {
  readonly id: string;
  readonly group: string | undefined;
  readonly sequenceNumber: string | undefined;
  readonly dedupId: string | undefined;
  readonly receiveCount: number;
}
