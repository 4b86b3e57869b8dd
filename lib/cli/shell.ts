/** What a command needs of the process that runs it. */
export interface Shell {
  /** What stands behind the command's name. */
  readonly args: readonly string[];
  /** The process's own variables: the SDK reads what is set here. */
  readonly env: Record<string, string | undefined>;
  readonly folder: string;
  /** The Node that runs this, and the flags that it was given. */
  readonly node: readonly string[];
  /** One line of what was asked for. */
  print(line: string): void;
  /** One line beside it, which no program reads: what it cost, how far it is. */
  note(line: string): void;
  /** Resolves when the command shall end: whoever asks is in charge of ending. */
  ended(): Promise<unknown>;
}
