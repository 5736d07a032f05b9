/**
 * Type checks and lints the whole project in one process: `typed-check.ts types lint`, or one of the two. Prints its
 * findings as JSON (TypedProblems).
 *
 * The lint rules use the compiler's types. Sharing one type-checked program takes two thirds of the CPU time of running
 * tsc and eslint separately.
 */
import { join, relative } from 'node:path';
import { ESLint, type Linter } from 'eslint';
import ts from 'typescript';
import type { Problem } from './architecture/tree.ts';

/** Findings of the compiler and the linter, for the requested parts. */
export interface TypedProblems {
  readonly types?: readonly Problem[];
  readonly lint?: readonly Problem[];
}

const ROOT = join(import.meta.dirname, '..');

const parts = new Set(process.argv.slice(2));
const program = createProgram(join(ROOT, 'tsconfig.json'));
const found: TypedProblems = {
  ...(parts.has('types') ? { types: typeProblems(program) } : {}),
  ...(parts.has('lint') ? { lint: await lintProblems(program) } : {}),
};
process.stdout.write(JSON.stringify(found));

function createProgram(configuration: string): ts.Program {
  const { config, error } = ts.readConfigFile(configuration, (path) => ts.sys.readFile(path)) as {
    config: unknown;
    error?: ts.Diagnostic;
  };
  if (error) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, '\n'));
  const { fileNames, options, errors } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  if (errors[0]) throw new Error(ts.flattenDiagnosticMessageText(errors[0].messageText, '\n'));
  return ts.createProgram(fileNames, options);
}

function typeProblems(checked: ts.Program): Problem[] {
  return ts.getPreEmitDiagnostics(checked).map(({ file, start, code, messageText }) => ({
    file: file ? relative(ROOT, file.fileName) : 'tsconfig.json',
    line: file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line + 1 : 1,
    what: `TS${code}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    expected: '',
  }));
}

async function lintProblems(checked: ts.Program): Promise<Problem[]> {
  // The project service of the configuration would make a second program; it is for editors and for single files.
  const parserOptions = { programs: [checked], projectService: false };
  const eslint = new ESLint({
    cwd: ROOT,
    warnIgnored: false,
    overrideConfig: { files: ['**/*.ts'], languageOptions: { parserOptions } } as Linter.Config,
  });
  const files = await eslint.lintFiles(['.']);
  return files.flatMap(({ filePath, messages }) =>
    messages.map(({ line, message, ruleId }) => ({
      file: relative(ROOT, filePath),
      line,
      what: `${message.replace(/\.$/, '')} (${ruleId ?? 'eslint'})`,
      expected: '',
    })),
  );
}
