import type { Reporter, TestModule, TestSuite } from 'vitest/node';

/** How many tests of a contract an adapter passed, and how many it was asked. */
interface Side {
  readonly contract: string;
  readonly adapter: string;
  passed: number;
  asked: number;
}

/** Tells after a run how many tests of each contract each adapter ran, so that a side that was left out is seen. */
export class Sides implements Reporter {
  readonly #sides: Side[] = [];

  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules)
      for (const suite of module.children.allSuites()) this.#count(suite);
    if (this.#sides.length === 0) return;
    const lines = this.#sides
      .toSorted((a, b) => `${a.contract} ${a.adapter}`.localeCompare(`${b.contract} ${b.adapter}`))
      .map((side) => `  ${side.contract.padEnd(12)}${side.adapter.padEnd(32)}${saidOf(side)}`);
    process.stdout.write(
      `\n Contracts, and how many of their tests each adapter passed\n${lines.join('\n')}\n\n`,
    );
  }

  #count(suite: TestSuite): void {
    const [, contract, adapter] = /^the (\S+) contract, kept by (.+)$/.exec(suite.name) ?? [];
    if (contract === undefined || adapter === undefined) return;
    const results = [...suite.children.allTests()].map((test) => test.result().state);
    const passed = results.filter((state) => state === 'passed').length;
    this.#sides.push({ contract, adapter, passed, asked: results.length });
  }
}

const saidOf = ({ passed, asked }: Side): string =>
  passed === asked ? `${passed}` : `${passed} of ${asked}`;
