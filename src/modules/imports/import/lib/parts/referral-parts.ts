import type { DocumentPart, ImportParts, ImportSource, PartIssue } from '../../../../../contracts/import-engine.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { elementAt, walkXml, type XmlElement } from '../../../../../kernel/xml/element.ts';
import type { SchemaIssue } from '../../../../../kernel/xml/schema-issue.ts';
import { submissionItems } from '../import-item.ts';
import type { ReadReferral } from '../read-referral.ts';
import { referralFacts, servedSchema, type ReferralOperation, type SchemaSettings } from '../referral-schemas.ts';
import { addedPath, itemPlace, namesOf } from './item-path.ts';
import { rewrittenItems } from './rewrite-items.ts';
import { schemaChildren, type ChildrenAt } from './schema-children.ts';

/** How documents of an operation are read. */
export interface ReferralReading {
  readonly operationOf: (template: Parameters<ImportParts['read']>[1]) => ReferralOperation;
  readonly settings: () => SchemaSettings;
  /** Reads a document and discards its attached files. */
  readonly read: (
    source: ImportSource,
    operation: ReferralOperation,
    settings: SchemaSettings,
  ) => Promise<ReadReferral<undefined>>;
  /** Copies the source's pieces, each of which is valid only until the next is read. */
  readonly bytes: (source: ImportSource) => AsyncIterable<Uint8Array>;
}

/** Returns the parts of referral documents: their items, each with its values by path. */
export function referralParts({ operationOf, settings, read, bytes }: ReferralReading): ImportParts {
  const childrenOf = (operation: ReferralOperation): ChildrenAt => schemaChildren(servedSchema(operation, settings()));
  return {
    async *read(source, template, lines) {
      const operation = operationOf(template);
      const { tree, issues } = await read(source, operation, settings());
      if (!tree) throw new PlatformError('BAD_XML', { message: issues[0]?.message ?? 'The document is not XML.' });
      const childrenAt = childrenOf(operation);
      for (const [n, item] of submissionItems(operation, tree).entries())
        if (!lines || lines.has(n + 1)) yield itemPart(item, n + 1, childrenAt);
    },
    async issues(source, template) {
      const operation = operationOf(template);
      const { tree, issues } = await read(source, operation, settings()).catch(unreadable);
      return issues.map((issue) => partIssue(issue, tree, referralFacts(operation).item));
    },
    write(source, template, { lines, values }) {
      const operation = operationOf(template);
      const { item } = referralFacts(operation);
      const childrenAt = childrenOf(operation);
      return {
        fileName: `${operation}-corrected.xml`,
        open: () => rewrittenItems(bytes(source), { itemName: item, items: lines, values, childrenAt }),
      };
    },
  };
}

function unreadable(error: unknown): Pick<ReadReferral<undefined>, 'tree' | 'issues'> {
  if (!(error instanceof PlatformError) || error.status >= 500) throw error;
  return { tree: undefined, issues: [{ message: error.message, line: 0, path: '', element: '' }] };
}

/** Returns an item as a part: its texts and attributes by path, and the elements that the schema allows besides. */
function itemPart(item: XmlElement, line: number, childrenAt: ChildrenAt): DocumentPart {
  const values: Record<string, string> = {};
  const absent: string[] = [];
  walkXml(item, (element, fullPath) => {
    const { path } = itemPlace(`/${fullPath}`);
    for (const [name, text] of Object.entries(element.attributes)) values[`${path}@${name}`] = text;
    const allowed = childrenAt(['ImportCollection', item.name, ...namesOf(path)]);
    const present = new Set(element.children.map(({ name }) => name));
    for (const { name, isLeaf } of allowed)
      if (isLeaf && !present.has(name) && name !== CONTENT) absent.push(addedPath(path, name));
    if (element.children.length === 0 && allowed.length === 0 && path !== '' && element.name !== CONTENT)
      values[path] = element.text.trim();
  });
  return { line, values, absent };
}

/** The element with an attached file. */
const CONTENT = 'Content';

function partIssue({ path, line, message }: SchemaIssue, tree: XmlElement | undefined, item: string): PartIssue {
  const place = itemPlace(path);
  const [, , step = ''] = path.split('/');
  const isItem = step.replace(/\[\d+\]$/, '') === item;
  if (!isItem || place.item === 0)
    return { line: 0, column: undefined, message: line > 0 ? `Line ${line}: ${message}` : message };
  const at = tree && elementAt(tree, path);
  // A faulty attribute is named by the message, which begins with the element that has it.
  const attribute =
    at &&
    Object.keys(at.attributes).find((name) =>
      new RegExp(`^The attribute ${name} of | the attribute ${name},`).test(message),
    );
  const missing = missingName(message);
  const around =
    missing !== undefined && (message.includes(' does not belong here') ? parentOf(place.path) : place.path);
  const column = attribute === undefined ? columnOf(place.path, around, missing) : `${place.path}@${attribute}`;
  const where = column === undefined && place.path !== '' ? `${place.path}: ` : '';
  return { line: place.item, column, message: where + message };
}

function columnOf(path: string, around: string | false, missing: string | undefined): string | undefined {
  if (around !== false && missing !== undefined) return addedPath(around, missing);
  return path === '' ? undefined : path;
}

/** Returns the element that a message about the structure expects, if it is a single one. */
function missingName(message: string): string | undefined {
  return /(?: does not belong here| ends after \S+| is empty): expected ([A-Za-z_]\w*)\./.exec(message)?.[1];
}

const parentOf = (path: string): string => path.split('/').slice(0, -1).join('/');
