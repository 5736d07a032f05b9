/** The project passes its own architecture checks, and each check refuses what it claims to refuse. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { checkBannedCalls } from '../../../tools/architecture/banned-calls.ts';
import { checkArchitecture, checkDead, checkDocs } from '../../../tools/architecture/checks.ts';
import { checkDocumented } from '../../../tools/architecture/documented.ts';
import { checkImports } from '../../../tools/architecture/imports.ts';
import { checkLanguage } from '../../../tools/architecture/language.ts';
import { checkMigrations } from '../../../tools/architecture/migrations.ts';
import { checkPlaces } from '../../../tools/architecture/places.ts';
import { checkQueueTables } from '../../../tools/architecture/queue-tables.ts';
import { checkSizes } from '../../../tools/architecture/sizes.ts';
import { type FileMap, type Problem, formatProblem, readTree } from '../../../tools/architecture/tree.ts';
import { checkUses } from '../../../tools/architecture/uses.ts';
import { checkWords } from '../../../tools/architecture/words.ts';

type Check = (files: FileMap) => Problem[];

/** Runs a check over a small planted tree and returns its problems as text. */
function run(check: Check, files: Record<string, string>): string[] {
  return check(new Map(Object.entries(files))).map(formatProblem);
}

/** Asserts exactly one problem, with the given place and words. */
function refuses(check: Check, files: Record<string, string>, at: string, words: RegExp): void {
  const [first = 'no problem', ...more] = run(check, files);
  assert.deepEqual(more, [], `more than: ${first}`);
  assert.ok(first.startsWith(`${at}: `), first);
  assert.match(first, words);
}

function allows(check: Check, files: Record<string, string>): void {
  assert.deepEqual(run(check, files), []);
}

const operation = (module: string, name: string, body = ''): string =>
  `export const operation = defineOperation({\n  module: '${module}', name: '${name}',\n` +
  `  summary: 'Does it.',\n});\nexport const run = handle(operation, async (ctx) => { ${body} });\n`;

const lines = (count: number): string => 'a();\n'.repeat(count);

describe('the real tree', () => {
  const files = readTree(join(import.meta.dirname, '../../..'));
  const listed = (problems: Problem[]): string => problems.map(formatProblem).join('\n');

  test('keeps the architecture', () => {
    assert.equal(listed(checkArchitecture(files)), '');
  });

  test('has documents that match the code', () => {
    assert.equal(listed(checkDocs(files)), '');
  });

  test('has no dead code', () => {
    assert.equal(listed(checkDead(files)), '');
  });
});

describe('imports', () => {
  const importing = (from: string, specifier: string): Record<string, string> => ({
    [from]: `// One line before.\nimport { x } from '${specifier}';`,
  });

  test('run one way', () => {
    allows(checkImports, importing('src/contracts/a.ts', '../kernel/x.ts'));
    allows(checkImports, importing('src/modules/area/message/send.ts', '../../../contracts/x.ts'));
    allows(checkImports, importing('src/modules/area/message/send.ts', './lib/x.ts'));
    allows(checkImports, importing('src/modules/area/message/send.ts', '../../other/public/x.ts'));
    const publicFile = { 'src/modules/other/public/x.ts': '' };
    allows(checkImports, {
      ...importing('src/modules/area/message/send.ts', '../../other/public/x.ts'),
      ...publicFile,
    });
    const inside = importing('src/modules/other/contact/lib/a.ts', '../../public/x.ts');
    refuses(checkImports, { ...inside, ...publicFile }, 'src/modules/other/public/x.ts:1', /no other area imports/);
    allows(checkImports, importing('src/modules/area/message/lib/a.ts', '../../../other/public/x.ts'));
    allows(checkImports, importing('src/surfaces/http/server.ts', '../../kernel/x.ts'));
    allows(checkImports, importing('src/app/main.ts', '../modules/area/message/send.ts'));
    allows(checkImports, importing('src/kernel/a.ts', 'node:fs'));
    allows(checkImports, importing('test/a.test.ts', '../src/modules/area/message/send.ts'));
  });

  test('of the reach cache from outside the kernel are refused', () => {
    allows(checkImports, importing('src/kernel/records/a.ts', '../door/reach-cache.ts'));
    refuses(
      checkImports,
      importing('src/modules/area/message/send.ts', '../../../kernel/door/reach-cache.ts'),
      'src/modules/area/message/send.ts:2',
      /for the kernel/,
    );
  });

  test('that run the other way are refused', () => {
    refuses(
      checkImports,
      importing('src/kernel/a.ts', '../contracts/x.ts'),
      'src/kernel/a.ts:2',
      /kernel imports contracts/,
    );
    refuses(
      checkImports,
      importing('src/contracts/a.ts', '../modules/area/message/send.ts'),
      'src/contracts/a.ts:2',
      /contracts imports modules/,
    );
    refuses(
      checkImports,
      importing('src/modules/area/message/send.ts', '../../../providers/x/y.ts'),
      'src/modules/area/message/send.ts:2',
      /modules imports providers/,
    );
    refuses(
      checkImports,
      importing('src/providers/x/y.ts', '../../modules/area/message/send.ts'),
      'src/providers/x/y.ts:2',
      /providers imports modules/,
    );
    refuses(
      checkImports,
      importing('src/surfaces/http/server.ts', '../../app/main.ts'),
      'src/surfaces/http/server.ts:2',
      /surfaces imports app/,
    );
  });

  test('between areas, surfaces and providers of different contracts are refused', () => {
    refuses(
      checkImports,
      importing('src/modules/area/message/send.ts', '../../other/contact/lib/x.ts'),
      'src/modules/area/message/send.ts:2',
      /modules\/other, expected ctx\.call/,
    );
    refuses(
      checkImports,
      importing('src/modules/area/message/send.ts', '../../other/contact/public/x.ts'),
      'src/modules/area/message/send.ts:2',
      /modules\/other, expected ctx\.call.* public\//,
    );
    refuses(
      checkImports,
      importing('src/modules/area/message/send.ts', '../../records/any/save.ts'),
      'src/modules/area/message/send.ts:2',
      /modules\/records/,
    );
    refuses(
      checkImports,
      importing('src/surfaces/http/server.ts', '../cli/x.ts'),
      'src/surfaces/http/server.ts:2',
      /surfaces\/cli/,
    );
    refuses(checkImports, importing('src/providers/x/a.ts', '../y/b.ts'), 'src/providers/x/a.ts:2', /providers\/y/);
  });

  test('of tests, tools and benchmarks by the product are refused', () => {
    for (const folder of ['test', 'tools', 'bench']) {
      refuses(
        checkImports,
        importing('src/app/main.ts', `../../${folder}/x.ts`),
        'src/app/main.ts:2',
        new RegExp(`imports ${folder}/x.ts`),
      );
    }
  });

  test('are recognized in every form', () => {
    for (const form of [
      "export * from '../app/x.ts';",
      "const x = await import('../app/x.ts');",
      "type X = import('../app/x.ts').X;",
      "import type { X } from '../app/x.ts';",
      "new Worker(new URL('../app/x.ts', import.meta.url));",
    ]) {
      refuses(checkImports, { 'src/kernel/a.ts': form }, 'src/kernel/a.ts:1', /kernel imports app/);
    }
  });
});

describe('source file locations', () => {
  test('an operation is where its route says', () => {
    allows(checkPlaces, {
      'src/modules/area/message/message.record.ts': "export const message = defineRecord({ name: 'Message' });",
      'src/modules/area/message/messagetemplate.record.ts':
        "export const messageTemplate = defineRecord({ name: 'MessageTemplate' });",
      'src/modules/area/message/markread.ts': operation('message', 'MarkRead'),
      'src/modules/area/message/uses.ts': 'export const uses = [] as const;',
      'src/modules/area/message/lib/merge.ts': 'export const merge = 1;',
      'src/modules/area/organization/schedule/listen.ts': operation('organization', 'schedule/listen'),
      'src/modules/area/organization/schedule/stop.ts': operation('organization', "Stop', path: 'schedule/stop"),
      'src/modules/area/bankruptcy/search/byid.ts': operation('bankruptcy', "ById', path: 'search/{ID}"),
      'src/modules/area/any/save.ts': operation('any', 'save'),
    });
  });

  test('another module, name or export is refused', () => {
    refuses(
      checkPlaces,
      { 'src/modules/area/message/send.ts': operation('contact', 'send') },
      'src/modules/area/message/send.ts:2',
      /module is 'contact', expected 'message'/,
    );
    refuses(
      checkPlaces,
      { 'src/modules/area/message/send.ts': operation('message', 'post') },
      'src/modules/area/message/send.ts:2',
      /name is 'post', expected 'send'/,
    );
    refuses(
      checkPlaces,
      { 'src/modules/area/message/send.ts': operation('message', "Post', path: 'post/{ID}") },
      'src/modules/area/message/send.ts:2',
      /name is 'Post', expected 'send'/,
    );
    refuses(
      checkPlaces,
      { 'src/modules/area/message/rules.ts': 'export const rules = [];' },
      'src/modules/area/message/rules.ts:1',
      /not an operation file/,
    );
    refuses(
      checkPlaces,
      { 'src/modules/area/message/send.ts': `${operation('message', 'send')}export const more = 1;` },
      'src/modules/area/message/send.ts:6',
      /exports more too/,
    );
    refuses(
      checkPlaces,
      { 'src/modules/area/message/note.record.ts': "defineRecord({ name: 'Message' });" },
      'src/modules/area/message/note.record.ts:1',
      /no record of the name note/,
    );
  });

  test('a module of the same name in two areas is refused', () => {
    refuses(
      checkPlaces,
      {
        'src/modules/area/message/send.ts': operation('message', 'send'),
        'src/modules/other/message/read.ts': operation('message', 'read'),
      },
      'src/modules/other/message/read.ts:1',
      /the module message is in the areas area and other/,
    );
  });

  test('a record type without operations is a file of its area, with its reactions', () => {
    allows(checkPlaces, {
      'src/modules/area/records/loan.record.ts': "export const loan = defineRecord({ name: 'Loan' });",
      'src/modules/area/records/loan.reactions.ts': 'export const reactions = [];',
      'src/modules/area/lib/terms.ts': 'export const terms = 1;',
    });
    refuses(
      checkPlaces,
      { 'src/modules/area/records/loan.ts': 'export const loan = 1;' },
      'src/modules/area/records/loan.ts:1',
      /not an operation file/,
    );
  });

  test('a folder outside the declared structure is refused', () => {
    refuses(checkPlaces, { 'src/main.ts': '' }, 'src/main.ts:1', /where none belongs/);
    refuses(checkPlaces, { 'src/domain/case.ts': '' }, 'src/domain/case.ts:1', /where none belongs/);
    refuses(
      checkPlaces,
      { 'src/modules/case-work/case/uses.ts': '' },
      'src/modules/case-work/case/uses.ts:1',
      /without hyphens/,
    );
    refuses(
      checkPlaces,
      { 'src/providers/fax/x/send.ts': '' },
      'src/providers/fax/x/send.ts:1',
      /the contract src\/contracts\/fax\.ts/,
    );
    allows(checkPlaces, { 'src/contracts/fax.ts': '', 'src/providers/fax/x/send.ts': '' });
  });

  test('vague names are refused', () => {
    for (const name of ['common', 'util', 'utils', 'helper', 'helpers', 'manager', 'service']) {
      refuses(checkPlaces, { [`src/kernel/${name}.ts`]: '' }, `src/kernel/${name}.ts:1`, /says nothing/);
      refuses(checkPlaces, { [`test/${name}/a.ts`]: '' }, `test/${name}/a.ts:1`, /says nothing/);
    }
    refuses(checkPlaces, { 'src/kernel/queue-manager.ts': '' }, 'src/kernel/queue-manager.ts:1', /says nothing/);
    refuses(checkPlaces, { 'src/kernel/fieldTypes.ts': '' }, 'src/kernel/fieldTypes.ts:1', /lower case/);
  });
});

describe('uses', () => {
  const calling = (target: string): string => operation('message', 'send', `await ctx.call('${target}', {});`);

  test('equals the modules that are called', () => {
    allows(checkUses, {
      'src/modules/area/message/send.ts': calling('contact/select'),
      'src/modules/area/message/uses.ts': "export const uses = ['contact'] as const;",
    });
    allows(checkUses, { 'src/modules/area/message/send.ts': calling('message/select') });
    allows(checkUses, {
      'src/modules/area/message/send.ts': calling('note/select'),
      'src/modules/area/message/note.record.ts': '',
    });
  });

  test('a call that is not listed, and a listed module that is not called, are refused', () => {
    refuses(
      checkUses,
      { 'src/modules/area/message/send.ts': calling('contact/select') },
      'src/modules/area/message/send.ts:5',
      /calls the module contact, expected 'contact' in src\/modules\/area\/message\/uses\.ts/,
    );
    refuses(
      checkUses,
      { 'src/modules/area/message/uses.ts': "\nexport const uses = ['contact'] as const;" },
      'src/modules/area/message/uses.ts:2',
      /lists 'contact'/,
    );
  });

  test('a call whose target is not a literal is refused', () => {
    refuses(
      checkUses,
      { 'src/modules/area/message/send.ts': operation('message', 'send', 'await ctx.call(`${x}/save`, {});') },
      'src/modules/area/message/send.ts:5',
      /without a literal target/,
    );
  });

  test('a cycle is refused', () => {
    const files: Record<string, string> = {};
    for (const [from, to] of [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'a'],
    ] as const) {
      files[`src/modules/area/${from}/go.ts`] = operation(from, 'go', `await ctx.call('${to}/go', {});`);
      files[`src/modules/area/${from}/uses.ts`] = `export const uses = ['${to}'] as const;`;
    }
    refuses(checkUses, files, 'src/modules/area/a/uses.ts:1', /circle: a → b → c → a/);
  });
});

describe('tables of the queue library', () => {
  const statement = 'export const text = `select ${columns}\n  from pgboss.job`;\n';

  test('are named in one file', () => {
    refuses(
      checkQueueTables,
      { 'src/surfaces/worker/a.ts': statement },
      'src/surfaces/worker/a.ts:1',
      /pgboss-sql\.ts/,
    );
    const quoted = `const table = '"pgboss".queue';\n`;
    refuses(checkQueueTables, { 'src/app/a.ts': quoted }, 'src/app/a.ts:1', /a table of the queue library/);
    allows(checkQueueTables, { 'src/surfaces/shared/pgboss-sql.ts': statement });
  });

  test('may be named in comments, and the library and its file imported', () => {
    const imports = "import { PgBoss } from 'pg-boss';\nimport { a } from '../shared/pgboss-sql.ts';\n";
    allows(checkQueueTables, { 'src/surfaces/worker/a.ts': `// A row of pgboss.job.\n${imports}` });
  });
});

describe('language', () => {
  // Assembled here, so that this file passes the check.
  const word = ['to', 'ld'].join('');

  test('a mechanism named by a verb of saying, and a type that does not say of what, are refused', () => {
    refuses(
      checkLanguage,
      { 'src/kernel/a.ts': `const ${word}Of = 1;` },
      'src/kernel/a.ts:1',
      /the name \w+Of, expected \w+, .*glossary/,
    );
    refuses(
      checkLanguage,
      { 'src/kernel/a.ts': `\ninterface ${['Fo', 'und'].join('')} { x: 1 }` },
      'src/kernel/a.ts:2',
      /a noun that says of what/,
    );
  });

  test('refused phrases are found in comments, texts and documents', () => {
    refuses(
      checkLanguage,
      { 'src/kernel/a.ts': `\n// The caller is ${word} so.\n` },
      'src/kernel/a.ts:2',
      /the phrase/,
    );
    refuses(checkLanguage, { 'src/kernel/a.ts': `f('Nobody is ${word} of it.');` }, 'src/kernel/a.ts:1', /the phrase/);
    refuses(
      checkLanguage,
      { 'docs/a.md': `# A\n\nIt ${['sta', 'nds'].join('')} in the log.` },
      'docs/a.md:3',
      /is stored/,
    );
  });

  test('plain words are allowed', () => {
    allows(checkLanguage, {
      'src/kernel/a.ts':
        '/** Returns the standing orders; the timer asks again. */\nexport const caller = "The user is notified.";',
      'docs/reference/a.md': `Written from texts elsewhere: ${word}.`,
    });
  });
});

describe('migrations', () => {
  test('that edit a function as text, or make a report view, are refused', () => {
    refuses(
      checkMigrations,
      { 'db/0040_more.sql': '\nselect pg_get_functiondef(oid) from pg_proc;' },
      'db/0040_more.sql:2',
      /edits a stored definition as text/,
    );
    refuses(
      checkMigrations,
      { 'db/0040_more.sql': 'create view report.loan as select 1;' },
      'db/0040_more.sql:1',
      /makes a report view/,
    );
    refuses(
      checkMigrations,
      { 'db/0040_more.sql': "select casewright_report('loan', 'loanid');" },
      'db/0040_more.sql:1',
      /makes a report view/,
    );
  });

  test('that lock a table while they build an index are refused, unless they create the table', () => {
    refuses(
      checkMigrations,
      { 'db/0040_more.sql': 'select 1;\ncreate unique index a_key on loan (a);' },
      'db/0040_more.sql:2',
      /creates an index of an existing table/,
    );
    allows(checkMigrations, { 'db/0040_more.sql': 'create table a (b text);\ncreate index a_idx on a (b);' });
    allows(checkMigrations, {
      'db/0040_more.sql': '-- online: few rows.\ncreate index concurrently if not exists a_idx on loan (a);',
    });
  });

  test('older ones, and comments, are ignored', () => {
    allows(checkMigrations, { 'db/0037_holds.sql': 'create view report.loan as select 1;' });
    allows(checkMigrations, { 'db/0040_more.sql': '-- pg_get_functiondef is not used\nselect 1;' });
  });
});

describe('sizes', () => {
  const functionOf = (count: number): string => `function f() {\n${lines(count - 2)}}\n`;

  test('a function has 70 lines', () => {
    allows(checkSizes, { 'src/kernel/a.ts': functionOf(70) });
    refuses(
      checkSizes,
      { 'src/kernel/a.ts': `\n${functionOf(71)}` },
      'src/kernel/a.ts:2',
      /the function f has 71 lines, expected 70/,
    );
    refuses(
      checkSizes,
      { 'src/kernel/a.ts': `const g = async () => {\n${lines(70)}};` },
      'src/kernel/a.ts:1',
      /the function g has 72 lines/,
    );
  });

  test('a block of tests may be longer, a test may not', () => {
    allows(checkSizes, { 'test/a.test.ts': `describe('x', () => {\n${lines(150)}});` });
    refuses(
      checkSizes,
      { 'test/a.test.ts': `test('x', () => {\n${lines(150)}});` },
      'test/a.test.ts:1',
      /a function has 152 lines/,
    );
  });

  test('an operation file has 120 lines, any other 500', () => {
    allows(checkSizes, {
      'src/modules/area/message/send.ts': lines(120),
      'src/kernel/a.ts': lines(500),
      'db/0001-begin.sql': lines(500),
    });
    refuses(
      checkSizes,
      { 'src/modules/area/message/send.ts': lines(121) },
      'src/modules/area/message/send.ts:1',
      /the operation file has 121 lines, expected 120/,
    );
    refuses(
      checkSizes,
      { 'src/modules/area/message/lib/a.ts': lines(501) },
      'src/modules/area/message/lib/a.ts:1',
      /the file has 501 lines, expected 500/,
    );
    refuses(checkSizes, { 'db/0001-begin.sql': lines(501) }, 'db/0001-begin.sql:1', /the file has 501 lines/);
  });

  test('a line has 120 columns, unless it is a title, an import or a URL', () => {
    const words = 'word '.repeat(25).trim();
    allows(checkSizes, {
      'src/kernel/a.ts': `const a = '${'x'.repeat(107)}';\n`,
      'src/kernel/b.ts': `import { ${words.replaceAll(' ', ', ')} } from './a.ts';\n`,
      'src/kernel/c.ts': `// https://a.example/${'x'.repeat(110)}\n`,
      'src/kernel/a.gen.ts': `// ${words}\n`,
      'src/kernel/a.test.ts': `  it('${words}', () => {\n`,
    });
    refuses(
      checkSizes,
      { 'src/kernel/a.ts': `a();\nconst a = '${'x'.repeat(108)}';\n` },
      'src/kernel/a.ts:2',
      /the line has 121 columns, expected 120 at most/,
    );
    refuses(checkSizes, { 'src/kernel/a.ts': `// ${words}\n` }, 'src/kernel/a.ts:1', /the line has 127 columns/);
    const document = `| ${words} |\n\n\`\`\`sh\n${words}\n\`\`\`\n\n[a](${'x'.repeat(120)})\n`;
    allows(checkSizes, { 'docs/a.md': document, 'docs/reference/a.md': `${words}\n` });
    refuses(checkSizes, { 'docs/a.md': `${document}${words}\n` }, 'docs/a.md:8', /the line has 124 columns/);
  });

  test('more needs a written reason', () => {
    allows(checkSizes, {
      'src/kernel/a.ts': `// size: one table of the wire format, read top to bottom\n${lines(600)}`,
    });
    allows(checkSizes, { 'src/kernel/a.ts': `// size: one switch over all kinds of field\n${functionOf(80)}` });
    allows(checkSizes, {
      'src/kernel/a.ts': `function f() {\n  // size: one switch over all kinds of field\n${lines(80)}}`,
    });
    refuses(checkSizes, { 'src/kernel/a.ts': `// size:\n${functionOf(80)}` }, 'src/kernel/a.ts:2', /80 lines/);
  });
});

describe('documentation in the code', () => {
  test('every export of the kernel and the contracts has a comment', () => {
    allows(checkDocumented, {
      'src/kernel/a.ts': '/** What it is for. */\nexport const a = 1;\nconst b = 2;\nexport { c } from "./c.ts";',
    });
    allows(checkDocumented, { 'src/modules/area/message/lib/a.ts': 'export const a = 1;' });
    for (const declared of ['const x = 1;', 'function x() {}', 'type x = 1;', 'interface x {}', 'class x {}']) {
      refuses(
        checkDocumented,
        { 'src/kernel/a.ts': `// Not documentation.\nexport ${declared}` },
        'src/kernel/a.ts:2',
        /the export x has no documentation/,
      );
      refuses(
        checkDocumented,
        { 'src/contracts/a.ts': `export ${declared}` },
        'src/contracts/a.ts:1',
        /the export x has no documentation/,
      );
    }
  });

  test('every operation has a summary', () => {
    refuses(
      checkDocumented,
      { 'src/modules/area/message/send.ts': operation('message', 'send').replace('Does it.', '') },
      'src/modules/area/message/send.ts:1',
      /no summary/,
    );
  });

  test('every setting and reaction has a doc', () => {
    allows(checkDocumented, {
      'src/modules/area/message/settings.ts': "export const settings = { A: f.text({ doc: 'Why.', default: 'x' }) };",
    });
    refuses(
      checkDocumented,
      { 'src/modules/area/message/settings.ts': "export const settings = {\n  A: f.text({ default: 'x' }),\n};" },
      'src/modules/area/message/settings.ts:2',
      /settings has no documentation/,
    );
    refuses(
      checkDocumented,
      { 'src/kernel/core-settings.ts': "const zone = defineSetting('TimeZone', f.text({ doc: ' ' }), 'UTC');" },
      'src/kernel/core-settings.ts:1',
      /settings has no documentation/,
    );
    refuses(
      checkDocumented,
      { 'src/modules/area/message/reactions.ts': "export const reactions = [{ on: 'message.insert', doc: '' }];" },
      'src/modules/area/message/reactions.ts:1',
      /reactions has no documentation/,
    );
  });

  test('every error code has a text', () => {
    const table = (text: string): string =>
      `/** All of them. */\nexport const errorTable = {\n  NOT_FOUND: { status: 404, text: '${text}' },\n` +
      '} as const satisfies X;';
    allows(checkDocumented, { 'src/kernel/door/errors.ts': table('No such record.') });
    refuses(
      checkDocumented,
      { 'src/kernel/door/errors.ts': table('') },
      'src/kernel/door/errors.ts:3',
      /NOT_FOUND has no text/,
    );
  });

  test('a lint rule is switched off with a reason', () => {
    const off = ['// oxlint', 'disable-next-line no-eval'].join('-');
    allows(checkDocumented, { 'src/app/a.ts': `${off} -- the one interpreter of ours` });
    refuses(checkDocumented, { 'src/app/a.ts': `\n${off}` }, 'src/app/a.ts:2', /without a reason/);
  });
});

describe('words', () => {
  // Assembled here, so that this file passes its own check.
  const path = (...parts: string[]): string => `/${parts.join('/')}`;
  const planted: Record<string, string> = {
    registry: ['registry', 'example', 'org'].join('.'),
    'resolved address': ['"resolved": "', 'http://x"'].join(''),
    'home folder': path('home', 'somebody', 'x'),
    'workplace folder': path('work', 'main'),
    'file elsewhere': ['shared', 'design.md'].join('/'),
    'list elsewhere': ['checklist', 'md'].join('.'),
    trailer: ['Co-authored', 'by: x'].join('-'),
    authorship: ['generated by', 'an AI'].join(' '),
  };

  for (const [name, text] of Object.entries(planted)) {
    test(`${name} is refused`, () => {
      refuses(checkWords, { 'docs/a.md': `One line.\nAnd ${text} here.` }, 'docs/a.md:2', /expected/);
    });
  }

  test('ordinary words and paths are allowed', () => {
    allows(checkWords, {
      'README.md':
        'A worklist at /api/worklist/next, a homework, the registry of operations, /api/work, ./data, ' +
        'docs/reference/ is generated.',
    });
  });

  test('the registry of this machine is refused', () => {
    refuses(
      (files) => checkWords(files, ['packages.example']),
      { 'a.md': 'x packages.example' },
      'a.md:1',
      /of this machine/,
    );
  });
});

describe('documents', () => {
  const good: Record<string, string> = {
    'docs/internals/architecture.md': '- `src/app/` composes.\n',
    'src/app/main.ts': "const port = process.env.PORT ?? env['HOST'];",
    'README.md':
      'Run `npm start`, [more](docs/internals/architecture.md).\n\n| `PORT` | 8080 |\n| `HOST` | 127.0.0.1 |\n',
    'package.json': '{ "scripts": { "start": "x" } }',
  };

  test('that match are allowed', () => {
    allows(checkDocs, good);
  });

  test('folders are described, and described folders exist', () => {
    refuses(
      checkDocs,
      { ...good, 'src/kernel/a.ts': '' },
      'docs/internals/architecture.md:1',
      /src\/kernel\/ is not described/,
    );
    refuses(
      checkDocs,
      { ...good, 'docs/internals/architecture.md': '- `src/app/`\n- `src/gone/`\n' },
      'docs/internals/architecture.md:2',
      /src\/gone\/ does not exist/,
    );
  });

  test('environment variables are documented, and documented ones are read', () => {
    refuses(
      checkDocs,
      { ...good, 'src/app/store.ts': "\nread('DATABASE_URL');" },
      'src/app/store.ts:2',
      /DATABASE_URL is read but not documented/,
    );
    refuses(
      checkDocs,
      { ...good, 'src/app/environment.ts': 'const variables = { PORT: {}, CASEWRIGHT_NEW: {} };' },
      'src/app/environment.ts:1',
      /CASEWRIGHT_NEW is read but not documented/,
    );
    refuses(
      checkDocs,
      { ...good, 'docs/guides/operators/installation.md': '| `CASEWRIGHT_GONE` | x |' },
      'docs/guides/operators/installation.md:1',
      /CASEWRIGHT_GONE is documented but not read/,
    );
  });

  test('scripts are documented, and documented ones exist', () => {
    refuses(
      checkDocs,
      { ...good, 'package.json': '{ "scripts": { "start": "x", "bench": "y" } }' },
      'package.json:1',
      /bench is not documented/,
    );
    refuses(checkDocs, { ...good, 'CONTRIBUTING.md': 'Use `npm run gone`.' }, 'CONTRIBUTING.md:1', /no script gone/);
  });

  test('controls and tests that documents name exist', () => {
    const named = (text: string): Record<string, string> => ({ ...good, 'docs/internals/asvs.md': text });
    allows(checkDocs, named('`package.json`, `docs/internals/`, `docs/internals`, `src/{area}/x.ts`'));
    refuses(
      checkDocs,
      named('holds:\n`test/platform/gone.test.ts`'),
      'docs/internals/asvs.md:2',
      /test\/platform\/gone\.test\.ts does not exist/,
    );
  });

  test('links lead somewhere', () => {
    refuses(
      checkDocs,
      { ...good, 'docs/a.md': '[x](https://example.org) [y](#part)\n[z](adr/0001.md)' },
      'docs/a.md:2',
      /adr\/0001\.md leads nowhere/,
    );
  });
});

describe('dead code', () => {
  test('code that is imported, started or found by its location is alive', () => {
    allows(checkDead, {
      'package.json': '{ "scripts": { "start": "node tools/run.mjs src/app/main.ts" } }',
      'src/app/main.ts':
        "import { a } from '../kernel/a.ts'; import * as b from '../kernel/b.ts'; start('../kernel/worker.ts');",
      'src/kernel/a.ts': 'export const a: A = 1; export type A = number;',
      'src/kernel/b.ts': 'export const b = 1;',
      'src/kernel/worker.ts': 'export const w = 1;',
      'src/modules/area/message/send.ts': operation('message', 'send'),
      'bench/read.ts': 'run();',
    });
  });

  test('a file or an export that nothing imports is refused', () => {
    refuses(checkDead, { 'src/kernel/a.ts': 'export const a = 1;' }, 'src/kernel/a.ts:1', /nothing imports this file/);
    refuses(
      checkDead,
      {
        'src/kernel/a.ts': 'export const a = 1;\nexport const b = 2;',
        'test/a.test.ts': "import { a } from '../src/kernel/a.ts';",
      },
      'src/kernel/a.ts:2',
      /nothing imports b/,
    );
    refuses(
      checkDead,
      { 'src/modules/area/message/lib/merge.ts': 'export const merge = 1;' },
      'src/modules/area/message/lib/merge.ts:1',
      /nothing imports this file/,
    );
  });
});

describe('banned calls', () => {
  const banned: [path: string, call: string, replacement: RegExp, allowedIn: string][] = [
    ['src/kernel/a.ts', 'Date.now();', /ctx\.clock/, 'src/kernel/time/clock.ts'],
    ['src/modules/area/message/lib/a.ts', 'x(new Date());', /ctx\.clock/, 'src/app/main.ts'],
    ['src/app/main.ts', 'Math.random();', /node:crypto/, 'test/a.test.ts'],
    ['src/kernel/time/clock.ts', "x(process.env['X']);", /src\/app alone/, 'src/app/main.ts'],
    ['src/surfaces/cli/run.ts', 'console.log(1);', /ctx\.log/, 'src/app/main.ts'],
    ['test/a.test.ts', 'await new Promise((resolve) => setTimeout(resolve, 10));', /a signal/, 'tools/run.ts'],
    ['test/a.test.ts', "import { setTimeout } from 'node:timers/promises'; setTimeout(1);", /a signal/, 'tools/run.ts'],
    ['src/app/main.ts', "import { exec } from 'node:child_process'; exec('x');", /execFile/, ''],
  ];

  for (const [path, call, replacement, allowedIn] of banned) {
    test(`${call} in ${path} names its replacement`, () => {
      refuses(checkBannedCalls, { [path]: call }, `${path}:1`, replacement);
      if (allowedIn !== '') allows(checkBannedCalls, { [allowedIn]: call });
    });
  }

  test('a date made from a value is allowed', () => {
    allows(checkBannedCalls, { 'src/kernel/a.ts': 'x(new Date(value));' });
  });
});
