import * as v from 'valibot';
import { fieldSaid } from './field-said.ts';

const column = v.pipe(v.string('expected the name of a column'), v.maxLength(256));
const text = v.string('expected a text');
const number = v.number('expected a number');

/**
 * One condition on a row. Numbers compare with cells that are numbers or are written like one; texts compare with the
 * text of a cell, by UTF-16 units, so that ISO dates sort. An empty cell equals only `null`, and is neither less nor
 * greater than anything.
 */
const condition = v.variant(
  'is',
  [
    v.strictObject({
      column,
      is: v.picklist(['equals', 'not-equals']),
      value: v.union(
        [v.string(), v.number(), v.boolean(), v.null()],
        'expected a text, a number, true, false or null',
      ),
    }),
    v.strictObject({
      column,
      is: v.picklist(['less', 'greater']),
      value: v.union([text, number], 'expected a text or a number'),
    }),
    v.strictObject({ column, is: v.literal('contains'), value: text }),
  ],
  'expected { column, is, value } where `is` is one of equals, not-equals, less, greater, contains',
);

/** What an export is asked for; the JSON that a caller submits. */
export const exportInput = v.strictObject(
  {
    /** A name that the worker's datasets know. */
    dataset: v.pipe(
      v.string('expected the name of a dataset'),
      v.nonEmpty('a dataset must be named, got ""'),
      v.maxLength(256),
    ),
    /** In this order. Without it: the columns of the first row. */
    columns: v.optional(
      v.pipe(
        v.array(column, 'expected a list of columns'),
        v.minLength(1, 'name at least one column, or leave `columns` out for all'),
        v.maxLength(1_000),
        v.check((all) => new Set(all).size === all.length, 'a column is named twice'),
      ),
    ),
    /** All of them must hold. */
    where: v.optional(v.pipe(v.array(condition), v.maxLength(100)), []),
    format: v.optional(v.picklist(['csv', 'ndjson'], 'expected "csv" or "ndjson"'), 'csv'),
    /** With gzip. */
    compress: v.optional(v.boolean('expected true or false'), false),
  },
  fieldSaid,
);

/** {@link exportInput} after its defaults are filled in. */
export type ExportInput = v.InferOutput<typeof exportInput>;

/** See {@link exportInput}. */
export type RowCondition = ExportInput['where'][number];
