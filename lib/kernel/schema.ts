/** What a {@link Schema} answers: the value, or what is wrong with it. */
export type Checked<Out> =
  | { readonly value: Out; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

/** One thing that is wrong with a value, and where. */
export interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Any Standard Schema v1 (Zod, Valibot, ArkType …); one that accepts old shapes and gives the newest is an upcaster. */
export interface Schema<In, Out> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: In; readonly output: Out } | undefined;
    /** Checks a value, and may change it. */
    readonly validate: (value: unknown) => Checked<Out> | Promise<Checked<Out>>;
  };
}

/** The first three issues as one sentence: `columns.0: expected a string; …`. */
export function spokenIssues(issues: readonly Issue[]): string {
  const said = issues.slice(0, 3).map(({ message, path }) => {
    const where = path?.map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
    return where ? `${where}: ${message}` : message;
  });
  const more = issues.length - said.length;
  return [...said, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}
