import assert from 'node:assert/strict';
import { IMPORT_ENGINE } from '../../../src/contracts/import-engine.ts';
import type { Page } from 'puppeteer-core';
import { linesEngine } from '../imports/lines-engine.ts';
import { testPlatform, type Caller, type TestAnswer, type TestPlatform } from '../platform.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import type { CleanUp } from '../database.ts';

/** A run that waits after some rows: `reached` resolves when it does, and `go` lets it continue. */
export interface HeldRun {
  readonly reached: Promise<void>;
  go(): void;
}

/** A platform with the tests' engines, two firms and the users `clerk`, `chief` and `reader`. */
export interface ImportPages {
  readonly p: TestPlatform;
  /** The folder of stored files. */
  readonly files: string;
  readonly firm: Awaited<ReturnType<TestPlatform['firm']>>;
  readonly other: Awaited<ReturnType<TestPlatform['firm']>>;
  /** Creates an import type of the plain engine, with its maps. Returns its ID. */
  template(name: string, fields?: Record<string, unknown>, maps?: readonly Record<string, unknown>[]): Promise<number>;
  /** Uploads a file. Returns the ID of its import. */
  send(caller: Caller, name: string, body: string, query?: Record<string, string>): Promise<number>;
  statusOf(id: number): Promise<unknown>;
  /** Holds the next run of the engine `GatedEngine` once, after some rows. */
  hold(rows: number): HeldRun;
  /** Lets every run of that engine continue. */
  open(): void;
}

/** Returns the answer of a call that must succeed. */
export function expectOk(answer: TestAnswer): TestAnswer {
  assert.equal(answer.status, 200, answer.text.slice(0, 500));
  return answer;
}

/** Returns a file with some addresses of a street. */
export function addressFile(count: number, street: string): string {
  return `Address\n${Array.from({ length: count }, (_, n) => `${n} ${street}`).join('\n')}\n`;
}

/** Returns the text of an element. */
export function text(page: Page, selector: string): Promise<string> {
  return page.$eval(selector, (element) => element.textContent ?? '');
}

/** Waits until an element contains a text, without reloading the page. */
export async function waitForText(page: Page, selector: string, words: string): Promise<void> {
  await page.waitForFunction(
    (of, expected) => {
      const { document } = globalThis as unknown as {
        document: { querySelector(of: string): { textContent: string } | null };
      };
      return document.querySelector(of)?.textContent.includes(expected) === true;
    },
    { timeout: 20_000 },
    selector,
    words,
  );
}

/** Starts the platform for a test file. */
export async function importPages(cleanUp: CleanUp): Promise<ImportPages> {
  const files = temporaryFolder(cleanUp);
  const p = await testPlatform(cleanUp, { worker: true, filesFolder: files });
  const passAll = (): Promise<void> => Promise.resolve();
  let gate: (rows: number) => Promise<void> = passAll;
  p.platform.providers.register(IMPORT_ENGINE, 'LinesEngine', linesEngine());
  p.platform.providers.register(IMPORT_ENGINE, 'GatedEngine', {
    ...linesEngine((rows) => gate(rows)),
    options: { Total: 'How many rows there are.' },
  });
  for (const [name, roles] of [
    ['clerk', 'Staff'],
    ['chief', 'Administrator'],
    ['reader', 'Read Only'],
  ] as const)
    await p.user(name, roles);
  return {
    p,
    files,
    firm: await p.firm('First Firm'),
    other: await p.firm('Other Firm'),
    async template(name, fields = {}, maps = []) {
      const saved = expectOk(
        await p.admin.post('/api/importfiletemplate/save?Output=Json', {
          ImportFileTemplate: name,
          AppliesTo: 'Property',
          ExtranetEnabled: 'Self',
          ImportEngine: 'LinesEngine',
          ...fields,
        }),
      );
      const id = Number(saved.json()['ImportFileTemplateID']);
      for (const [n, map] of maps.entries())
        expectOk(
          await p.admin.post('/api/importfilemap/save?Output=Json', {
            ImportFileTemplateID: id,
            Sequence: n + 1,
            ...map,
          }),
        );
      return id;
    },
    async send(caller, name, body, query = {}) {
      const parameters = new URLSearchParams({ Output: 'Json', Template: name, ...query });
      const answer = await caller.send('POST', `/api/importfile/importbyobject?${parameters.toString()}`, body, {
        'Content-Type': 'text/plain',
      });
      const { ImportFileID: id, ImportResults: results } = answer.json() as {
        ImportFileID?: number;
        ImportResults?: { ID: number };
      };
      assert.ok(id ?? results?.ID, answer.text.slice(0, 500));
      return Number(id ?? results?.ID);
    },
    statusOf: async (id) => expectOk(await p.admin.get(`/api/importfile/select?Output=Json&ID=${id}`)).json()['Status'],
    hold(rows) {
      const reached: PromiseWithResolvers<void> = Promise.withResolvers();
      const go: PromiseWithResolvers<void> = Promise.withResolvers();
      let waits = true;
      gate = async (handed) => {
        if (!waits || handed < rows) return;
        waits = false;
        reached.resolve();
        await go.promise;
      };
      return { reached: reached.promise, go: () => go.resolve() };
    },
    open() {
      gate = passAll;
    },
  };
}
