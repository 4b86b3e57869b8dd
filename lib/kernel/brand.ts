/** Marks a type so that another of the same shape doesn't fit; it exists only for the compiler. */
export declare const brand: unique symbol;

/** A `Base` that can't be mixed up with any other `Base`. */
export type Branded<Base, Name extends string> = Base & { readonly [brand]: Name };

/** The row of a job: a pure function of the job's name and the intent, so it is known before the job exists. */
export type JobId = Branded<string, 'job'>;

/** What SQS orders: 1 to 128 letters, digits or punctuation marks. */
export type GroupId = Branded<string, 'group'>;

/** A length of time, in milliseconds inside; a bare number doesn't fit. */
export type Duration = Branded<number, 'duration'>;

/** A point in time, in milliseconds since 1970 UTC; comes only from a clock. */
export type Instant = Branded<number, 'instant'>;
