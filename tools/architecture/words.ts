/**
 * Words that do not belong in a published repository: addresses of package registries, folders of someone's machine,
 * and the tools of the workplace in which a change was made. They leak information and are wrong everywhere else.
 */
import { type FileMap, type Problem, lineAt } from './tree.ts';

interface Banned {
  readonly pattern: RegExp;
  readonly what: string;
  readonly expected: string;
}

// None of these patterns matches its own text here, so this file needs no exception from its own rule.
const BANNED: readonly Banned[] = [
  {
    pattern: new RegExp(
      String.raw`\bregistry\.[a-z0-9-]+\.(?:com|org|net|io|dev)\b|\bnpmjs\.(?:com|org)\b` +
        String.raw`|"resolved":\s*"http|\b(?:artifactory|verdaccio)\b[.:/]`,
      'gi',
    ),
    what: 'the address of a package registry',
    expected: 'none: each package client is configured for its own registry',
  },
  {
    pattern: new RegExp(
      String.raw`(?<![\w.$}-])\/(?:home|Users|root|mnt|workspaces?)\/[\w.-]+` +
        String.raw`|(?<![\w.$}/-])\/work\/[\w.-]+|\b[A-Z]:\\(?:Users|work)\\`,
      'g',
    ),
    what: 'a folder of one machine',
    expected: 'a path from the top of the repository',
  },
  {
    pattern: new RegExp(
      String.raw`(?<![\w/-])shared\/(?:design|style|spec|research|tools|hooks)\b` +
        String.raw`|\bchecklist\.md\b|\bspec\/decisions\b|\bdecisions\.md\b`,
      'g',
    ),
    what: 'a file that is not in the repository',
    expected: 'the fact itself, in the words of this project',
  },
  {
    pattern: new RegExp(
      String.raw`\bco-authored-by:|\b(?:written|generated|made|produced) (?:by|with) (?:an? )?` +
        String.raw`(?:AI|LLM|language model|coding agent|Claude|ChatGPT|Copilot)\b|\bas an AI\b`,
      'gi',
    ),
    what: 'a remark about the tools of the author',
    expected: 'what the text is about',
  },
];

/** Looks for banned words in every text file; `extraHosts` are hosts that only the caller's environment knows. */
export function checkWords(files: FileMap, extraHosts: readonly string[] = []): Problem[] {
  const problems: Problem[] = [];
  for (const [path, text] of files) {
    for (const banned of BANNED) {
      for (const match of text.matchAll(banned.pattern)) {
        problems.push({
          file: path,
          line: lineAt(text, match.index),
          what: `${banned.what}: ${match[0]}`,
          expected: banned.expected,
        });
      }
    }
    for (const host of extraHosts) {
      const at = text.indexOf(host);
      if (at !== -1)
        problems.push({
          file: path,
          line: lineAt(text, at),
          what: 'the address of the package registry of this machine',
          expected: 'none',
        });
    }
  }
  return problems;
}
