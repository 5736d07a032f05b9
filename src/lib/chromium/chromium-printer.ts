import { startChromium, type ChromiumProcess } from './chromium-process.ts';
import type { DevTools } from './devtools.ts';
import { inertHtml } from './inert-html.ts';

/** How pages are printed. Lengths are in inches. */
export interface PrintOptions {
  readonly width: number;
  readonly height: number;
  readonly margin: number;
  readonly isLandscape: boolean;
  /** HTML of the margins, with elements of the classes `pageNumber` and `totalPages`; '' for none. */
  readonly header: string;
  readonly footer: string;
  /** Ends the work; its reason is thrown. */
  readonly signal: AbortSignal;
}

/** Documents after which a browser is replaced, because its memory only grows. */
const DOCUMENTS_MAX = 500;
/** Documents printed at once; others wait. */
const PRINTED_AT_ONCE = 3;
/** Milliseconds without a document after which the browser is stopped. */
const IDLE_MILLISECONDS = 60_000;
/** Bytes that are read at once. */
const PIECE_BYTES = 1024 * 1024;
/** Largest PDF file. */
const PDF_BYTES_MAX = 512 * 1024 * 1024;

interface Browser {
  readonly chromium: ChromiumProcess;
  documents: number;
  running: number;
}

/** Prints HTML to PDF in one Chromium that is started when it is first needed, each document on a page of its own. */
export class ChromiumPrinter {
  private readonly command: () => string;
  private browser: Browser | undefined;
  private idle: NodeJS.Timeout | undefined;
  private printing = 0;
  private readonly waiting: (() => void)[] = [];

  /** `command`: returns the name or path of the program. */
  constructor(command: () => string) {
    this.command = command;
  }

  /**
   * Prints a document. Nothing in it runs, and nothing that it refers to is loaded: scripts are off, its policy forbids
   * all sources, the network is off, and every request fails.
   *
   * @throws ChromiumUnavailable; the signal's reason
   */
  async print(html: string, options: PrintOptions): Promise<Buffer> {
    options.signal.throwIfAborted();
    while (this.printing >= PRINTED_AT_ONCE) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.printing++;
    const browser = this.current();
    browser.running++;
    browser.chromium.keepAlive(true);
    try {
      return await printPage(browser.chromium.devTools, html, options);
    } finally {
      browser.running--;
      this.printing--;
      this.retire(browser);
      this.waiting.shift()?.();
    }
  }

  /** Ends the browser; the next document starts another one. */
  stop(): void {
    clearTimeout(this.idle);
    this.browser?.chromium.stop();
    this.browser = undefined;
  }

  private current(): Browser {
    clearTimeout(this.idle);
    const { browser } = this;
    const isUsable = browser && !browser.chromium.hasEnded() && browser.documents < DOCUMENTS_MAX;
    // A replaced browser ends with the last of its documents.
    const used = isUsable ? browser : { chromium: this.start(), documents: 0, running: 0 };
    used.documents++;
    return (this.browser = used);
  }

  private start(): ChromiumProcess {
    try {
      return startChromium(this.command());
    } catch (error) {
      this.printing--;
      this.waiting.shift()?.();
      throw error;
    }
  }

  private retire(browser: Browser): void {
    if (browser.running > 0) return;
    browser.chromium.keepAlive(false);
    if (browser !== this.browser) {
      browser.chromium.stop();
      return;
    }
    this.idle = setTimeout(() => this.stop(), IDLE_MILLISECONDS).unref();
  }
}

async function printPage(devTools: DevTools, html: string, options: PrintOptions): Promise<Buffer> {
  const { browserContextId } = await devTools.send('Target.createBrowserContext', { disposeOnDetach: true });
  try {
    const { targetId } = await devTools.send('Target.createTarget', { url: 'about:blank', browserContextId });
    const { sessionId } = await devTools.send('Target.attachToTarget', { targetId, flatten: true });
    const session = new PageSession(devTools, String(sessionId));
    return await Promise.race([session.print(html, options), aborted(options.signal)]);
  } finally {
    await devTools.send('Target.disposeBrowserContext', { browserContextId }).catch(() => undefined);
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

class PageSession {
  private readonly devTools: DevTools;
  private readonly id: string;

  constructor(devTools: DevTools, id: string) {
    this.devTools = devTools;
    this.id = id;
  }

  async print(html: string, options: PrintOptions): Promise<Buffer> {
    const loaded = this.listen();
    try {
      await Promise.all([
        this.send('Page.enable'),
        this.send('Network.enable'),
        this.send('Emulation.setScriptExecutionDisabled', { value: true }),
        this.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] }),
        this.send('Network.emulateNetworkConditions', {
          offline: true,
          latency: 0,
          downloadThroughput: 0,
          uploadThroughput: 0,
        }),
      ]);
      const { frameTree } = await this.send('Page.getFrameTree');
      const { frame } = frameTree as { readonly frame: { readonly id: string } };
      await this.send('Page.setDocumentContent', { frameId: frame.id, html: inertHtml(html) });
      await loaded;
      const { stream } = await this.send('Page.printToPDF', printParameters(options));
      return await this.read(String(stream));
    } finally {
      this.devTools.unlisten(this.id);
    }
  }

  private send(method: string, params?: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>> {
    return this.devTools.send(method, params, this.id);
  }

  /** Refuses every request. Returns when the document has been read. */
  private listen(): Promise<void> {
    return new Promise((resolve) => {
      this.devTools.listen(this.id, (method, { requestId }) => {
        if (method === 'Page.domContentEventFired') resolve();
        if (method === 'Fetch.requestPaused')
          this.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }).catch(() => undefined);
      });
    });
  }

  private async read(handle: string): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let length = 0;
    for (;;) {
      const { data, eof, base64Encoded } = await this.send('IO.read', { handle, size: PIECE_BYTES });
      const piece = Buffer.from(String(data), base64Encoded === true ? 'base64' : 'latin1');
      pieces.push(piece);
      length += piece.length;
      if (length > PDF_BYTES_MAX) throw new Error(`The printed document has more than ${PDF_BYTES_MAX} bytes.`);
      if (eof === true) return Buffer.concat(pieces);
    }
  }
}

function printParameters({
  width,
  height,
  margin,
  isLandscape,
  header,
  footer,
}: PrintOptions): Readonly<Record<string, unknown>> {
  return {
    transferMode: 'ReturnAsStream',
    printBackground: true,
    generateTaggedPDF: true,
    generateDocumentOutline: true,
    landscape: isLandscape,
    paperWidth: width,
    paperHeight: height,
    marginTop: margin,
    marginBottom: margin,
    marginLeft: margin,
    marginRight: margin,
    displayHeaderFooter: header !== '' || footer !== '',
    headerTemplate: header || '<span></span>',
    footerTemplate: footer || '<span></span>',
  };
}
