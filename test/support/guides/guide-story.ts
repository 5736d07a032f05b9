import assert from 'node:assert/strict';
import { eventually } from '../eventually.ts';
import { compareAnswer, isRefusal } from './guide-answer.ts';
import { demoIds, type GuideBlock, guideBlocks, neededRecords } from './guide-blocks.ts';
import { GuideNames } from './guide-names.ts';
import type { BlockResult, GuideShell } from './guide-shell.ts';

/** What a guide needs beside its text. */
export interface GuideNeeds {
  /** Creates a record that the guide says the reader has, and returns its ID. */
  readonly create: (noun: string) => Promise<number>;
  /** Texts that stand for the reader's own, such as a password. */
  readonly texts: Readonly<Record<string, string>>;
}

/** How many blocks were run. */
export interface StoryResult {
  readonly commands: number;
  readonly answers: number;
  readonly files: number;
  readonly listed: number;
}

/** Runs a guide from top to bottom. Every failure names the line of the guide. */
export async function runGuide(
  path: string,
  markdown: string,
  shell: GuideShell,
  { create, texts }: GuideNeeds,
): Promise<StoryResult> {
  const names = new GuideNames();
  for (const [shown, actual] of Object.entries(texts)) names.noteText(shown, actual);
  const count = { commands: 0, answers: 0, files: 0, listed: 0 };
  const blocks = guideBlocks(markdown);
  for (const [index, block] of blocks.entries()) {
    for (const { noun, ids } of neededRecords(block.prose)) {
      for (const id of ids) names.noteId(String(id), String(await create(noun)));
    }
    for (const id of demoIds(block.prose)) names.noteId(id, id);
    const after = blocks[index + 1];
    await step(block, after?.use.kind === 'answer' ? after : undefined, shell, names).catch((error: unknown) => {
      assert.fail(`${path}:${block.line}: ${error instanceof Error ? error.message : String(error)}`);
    });
    count[COUNTED[block.use.kind]]++;
  }
  return count;
}

const COUNTED = {
  commands: 'commands',
  answer: 'answers',
  file: 'files',
  listed: 'listed',
  unknown: 'listed',
} as const;

async function step(
  block: GuideBlock,
  answer: GuideBlock | undefined,
  shell: GuideShell,
  names: GuideNames,
): Promise<void> {
  const { use, text } = block;
  if (use.kind === 'unknown') {
    assert.fail('say what the block is: a file to save as `name`, an answer, or <!-- not run: why -->');
  }
  if (use.kind === 'file') shell.save(use.name, `${names.translate(text)}\n`);
  if (use.kind === 'commands') {
    const commands = names.translate(text);
    assert.doesNotMatch(commands, MACHINE_FOLDER, 'a command would change the machine of the tests');
    await runCommands(commands, answer, shell, names);
  }
}

/** Folders of the reader's machine: a test names its own in their place, or the block is not run. */
const MACHINE_FOLDER = /(?<=^|[\s='"])\/(?:srv|etc|var|opt|usr|backups|home|root)\b/m;

/** What commands that only read return may depend on work in the background: they are run until it is done. */
const BACKGROUND_MILLISECONDS_MAX = 20_000;
const CHANGING = /\s(?:-d|-F|-X|--data\S*)\s|\b(?:npm|casewright)\b/;

async function runCommands(
  commands: string,
  answer: GuideBlock | undefined,
  shell: GuideShell,
  names: GuideNames,
): Promise<void> {
  let wrong: unknown;
  const isAsShown = async (): Promise<boolean> => {
    const result = await shell.run(commands);
    assertOutcome(result, answer !== undefined && isRefusal(answer.text), commands);
    if (answer === undefined) return true;
    try {
      compareAnswer(answer.text, result.outputs.at(-1) ?? '', names);
      return true;
    } catch (error) {
      wrong = error;
      return false;
    }
  };
  if (await isAsShown()) return;
  if (CHANGING.test(commands)) throw wrong;
  await eventually('the answer is as shown', isAsShown, BACKGROUND_MILLISECONDS_MAX).catch(() => {
    throw wrong;
  });
}

/** All commands must succeed; the last is refused if the guide shows that. */
function assertOutcome({ code, outputs, statuses, error }: BlockResult, refused: boolean, commands: string): void {
  const report = `${commands}\n${error}\n${outputs.join('\n').slice(0, 4_000)}`;
  assert.equal(code, 0, `ended with ${code}: ${report}`);
  const expected = refused ? statuses.slice(0, -1) : statuses;
  if (refused)
    assert.ok((statuses.at(-1) ?? 0) >= 400, `status ${statuses.at(-1)}, but the guide shows a refusal: ${report}`);
  assert.ok(
    expected.every((status) => status >= 200 && status < 300),
    `status ${statuses.join(', ')}: ${report}`,
  );
}
