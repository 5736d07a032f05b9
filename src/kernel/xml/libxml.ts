import {
  ParseOption,
  XmlBufferInputProvider,
  XmlDocument,
  XmlLibError,
  XsdValidator,
  xmlCleanupInputProvider,
  xmlRegisterInputProvider,
} from 'libxml2-wasm';
import * as internals from 'libxml2-wasm/lib/libxml2.mjs';

/** An issue that libxml2 reports, with its original message. */
export interface LibxmlIssue {
  readonly message: string;
  readonly line: number;
  readonly path: string;
}

/** No access to files or the network; line numbers beyond 65,535. */
const SAFE_OPTIONS = (ParseOption.XML_PARSE_NO_XXE |
  ParseOption.XML_PARSE_NONET |
  ParseOption.XML_PARSE_BIG_LINES) as ParseOption;

/** {@link SAFE_OPTIONS} without the limit of 10 MB per text. */
const HUGE_OPTIONS = (ParseOption.XML_PARSE_NO_XXE |
  ParseOption.XML_PARSE_NONET |
  ParseOption.XML_PARSE_BIG_LINES |
  ParseOption.XML_PARSE_HUGE) as ParseOption;

/**
 * Compiles a schema whose includes are in memory, by the name in `schemaLocation`.
 *
 * @throws Error with libxml2's messages and lines: the schemas are ours, so an error in one is a bug
 */
export function compileXsd(main: string, files: Readonly<Record<string, string>>): XsdValidator {
  const source = files[main];
  if (source === undefined)
    throw new Error(`The schema ${main} is not among its files: ${Object.keys(files).join(', ')}.`);
  const buffers = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)]));
  // The provider is visible to the whole process, so it is removed before any other code can run.
  xmlRegisterInputProvider(new XmlBufferInputProvider(buffers));
  try {
    const document = XmlDocument.fromString(source, { url: main, option: SAFE_OPTIONS });
    try {
      return XsdValidator.fromDoc(document);
    } finally {
      document.dispose();
    }
  } catch (cause) {
    const details =
      cause instanceof XmlLibError
        ? cause.details.map((d) => `${d.file ?? main}:${d.line}: ${d.message.trim()}`).join('\n')
        : String(cause);
    throw new Error(`The schema ${main} does not compile:\n${details}`, { cause });
  } finally {
    xmlCleanupInputProvider();
  }
}

/**
 * Validates a document and returns at most `issuesMax` issues.
 *
 * The library's own `validate` computes the path of every faulty element, which counts its siblings: 40,000 faulty
 * siblings took 2 s, quadrupling with each doubling, without any limit. We therefore install our own error collector,
 * the only use of the library's internals. The version is pinned, and a test bounds the time of that case.
 *
 * @param huge removes libxml2's limit of 10 MB per text; only for documents of bounded size
 * @throws XmlLibError for a malformed document
 */
export function validateBytes(
  validator: XsdValidator,
  bytes: Uint8Array,
  issuesMax: number,
  huge: boolean,
): LibxmlIssue[] {
  const document = XmlDocument.fromBuffer(bytes, {
    option: huge ? HUGE_OPTIONS : SAFE_OPTIONS,
  });
  try {
    const context = internals.xmlSchemaNewValidCtxt(nativePointer(validator));
    const outer = collecting;
    const found: LibxmlIssue[] = [];
    collecting = { issues: found, most: issuesMax };
    try {
      internals.xmlSchemaSetValidStructuredErrors(context, collector, 0);
      const outcome = internals.xmlSchemaValidateDoc(context, nativePointer(document));
      if (outcome < 0) throw new Error('libxml2 failed while it validated a document.');
      return found;
    } finally {
      collecting = outer;
      internals.xmlSchemaFreeValidCtxt(context);
    }
  } finally {
    document.dispose();
  }
}

/** The list being collected. All of it is synchronous, so one per process is enough. */
let collecting: { readonly issues: LibxmlIssue[]; readonly most: number } | undefined;

// The library's declarations omit its internals: this function and the pointers.
const { addFunction } = internals as unknown as {
  readonly addFunction: (callback: (data: number, error: number) => void, signature: string) => number;
};

const collector = addFunction((_data, error) => {
  if (!collecting || collecting.issues.length >= collecting.most) return;
  collecting.issues.push({
    message: internals.XmlErrorStruct.message(error).trim(),
    line: internals.XmlErrorStruct.line(error),
    path: internals.xmlGetNodePath(internals.XmlErrorStruct.node(error)) ?? '',
  });
}, 'vii');

function nativePointer(owner: XsdValidator | XmlDocument): number {
  return (owner as unknown as { readonly _ptr: number })._ptr;
}
