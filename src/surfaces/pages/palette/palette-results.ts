import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { operatorCommands } from '../administration/operator-commands.ts';
import { casePath } from '../case/case-link.ts';
import { icon, type IconName } from '../design/icons.ts';
import { displayDate, recordPath } from '../display-values.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { documentPath, snippetText } from '../search/document-text.ts';
import { marked } from '../search/marked.ts';

type Hit = AnswerRowFor<'palette/search'>;

/** Fewest and most characters that are searched. */
const CHARACTERS = { min: 2, max: 200 } as const;
/** Operations that are offered to those who may try them. */
const OPERATIONS_MAX = 3;
/** Fewest characters by which operations are offered: they are rarely what is looked for. */
const OPERATION_CHARACTERS_MIN = 4;
/** A Social Security number as people write it; nine digits alone may be a loan number. */
const WRITTEN_NUMBER = /^\d{3}[- ]\d{2}[- ]\d{4}$/;

/**
 * Answers what is typed into the palette with options for its list. The text is posted: addresses are stored by
 * browsers and servers, and it may be the name of a person.
 */
export const paletteResultsPage = page(async (call) => ({ fragment: await results(call) }));

async function results(call: PageCall): Promise<Markup> {
  const text = plainText(call.form['Text']).trim().slice(0, CHARACTERS.max);
  if (text.length < CHARACTERS.min) return html``;
  if (WRITTEN_NUMBER.test(text)) return numberHint(call);
  const hits = await hitsOf(call, text);
  const cases = hits.filter(isCase);
  const documents = hits.filter(({ Object: name }) => name === 'Attachment');
  const people = hits.filter((hit) => !isCase(hit) && hit.Object !== 'Attachment');
  const isGuess = cases.length > 0 && cases.every(({ FoundBy: by }) => by === 'Spelling');
  const caseOptions = cases.map((hit) => caseOption(call, hit, text));
  return html`${group(isGuess ? 'Cases with similar names' : 'Cases', caseOptions)}
${group(
  'People',
  people.map((hit) => personOption(hit, text)),
)}
${group(
  'Documents',
  documents.map((hit) => documentOption(hit, text)),
)}
${group('Administration', commandOptions(call, text))}
${group('Operations', operationOptions(call, text))}
${group('Search', [searchOption(text)])}`;
}

async function hitsOf(call: PageCall, text: string): Promise<readonly Hit[]> {
  if (!call.may('palette/search')) return [];
  const { answer } = await call.call('palette/search', { Text: text });
  return answer.rows;
}

function isCase({ Object: name }: Hit): boolean {
  return name === 'Foreclosure' || name === 'Bankruptcy';
}

/** Social Security numbers are searched by the protected form only, which is counted and logged. */
function numberHint(call: PageCall): Markup {
  if (!call.may('contact/search')) return html``;
  const label = html`Find by SSN, under Contacts`;
  const detail = 'Numbers are not searched here';
  return group('Social Security numbers', [option({ href: '/records/contact', icon: 'person', label, detail })]);
}

function searchOption(text: string): Markup {
  const href = `/search?${new URLSearchParams({ Text: text }).toString()}`;
  return option({ href, icon: 'search', label: html`All results for “<bdi>${text}</bdi>”` });
}

function group(title: string, options: readonly Markup[]): Markup {
  if (options.length === 0) return html``;
  return html`<div role="group" aria-label="${title}"><div class="palette-title" aria-hidden="true">${title}</div>
${options}</div>`;
}

interface OptionParts {
  readonly href: string;
  readonly icon: IconName;
  readonly label: Markup;
  readonly detail?: string;
  /** A piece of its text, below. */
  readonly quote?: Markup;
}

function option({ href, icon: of, label, detail = '', quote }: OptionParts): Markup {
  return html`<a role="option" tabindex="-1" aria-selected="false" href="${href}">${icon(of)}
<span class="palette-label"><bdi>${label}</bdi></span><span class="palette-detail">${detail}</span>${
    quote && html`<span class="palette-quote"><bdi>${quote}</bdi></span>`
  }</a>\n`;
}

function caseOption(call: PageCall, hit: Hit, text: string): Markup {
  const { Object: name, ObjectID: id } = hit;
  const closed = hit.DateClosed === null ? '' : `closed ${displayDate(hit.DateClosed)}`;
  const number = hit.CaseNumber === hit.Label ? '' : hit.CaseNumber;
  return option({
    href: call.may('decision/search') ? casePath({ module: name.toLowerCase() }, id) : recordPath(name, id),
    icon: 'case',
    label: marked(hit.Label ?? `Case ${id}`, text),
    detail: joined(hit.Detail, number, closed),
  });
}

function personOption(hit: Hit, text: string): Markup {
  return option({
    href: recordPath(hit.Object, hit.ObjectID),
    icon: 'person',
    label: marked(hit.Label ?? `${hit.ObjectID}`, text),
    detail: joined('Contact', hit.CaseNumber),
  });
}

function documentOption(hit: Hit, text: string): Markup {
  const { Snippet: snippet, PageNumber: page } = hit;
  return option({
    href: documentPath(hit.ObjectID, page),
    icon: 'document',
    label: marked(hit.Label ?? `${hit.ObjectID}`, text),
    detail: joined(page === null ? 'Document' : `Page ${page}`, hit.CaseNumber),
    ...(snippet === null ? {} : { quote: snippetText(snippet) }),
  });
}

function joined(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join(' · ');
}

function commandOptions(call: PageCall, text: string): readonly Markup[] {
  return operatorCommands(call, text).map(({ text: name, href, detail }) =>
    option({ href, icon: 'admin', label: html`${name}`, detail }),
  );
}

function operationOptions(call: PageCall, text: string): readonly Markup[] {
  if (text.length < OPERATION_CHARACTERS_MIN || !call.may('person/search')) return [];
  const words = text.toLowerCase().split(/\s+/);
  return call.platform.registry
    .operations()
    .filter(
      ({ route, access, permissionName }) =>
        words.every((word) => route.toLowerCase().includes(word)) &&
        (access !== 'permission' || call.user.permissions.has(permissionName)),
    )
    .slice(0, OPERATIONS_MAX)
    .map(({ route, summary }) =>
      option({ href: `/operations/${route}`, icon: 'robot', label: html`${route}`, detail: summary }),
    );
}
