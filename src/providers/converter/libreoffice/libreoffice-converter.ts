import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ConvertedFile, ConvertOptions, Converter, ConverterState } from '../../../contracts/converter.ts';
import type { FileContent } from '../../../contracts/file-content.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { libreOfficePath } from '../../../lib/libreoffice/libreoffice-program.ts';
import { pdfPageCount } from '../../../lib/pdf/pdf-text.ts';
import { inScratchFolder, type ScratchFolder } from '../../../lib/programs/scratch-folder.ts';
import { DAMAGED, unreadable } from '../unreadable.ts';
import { officeFormats, targetFormats, type OfficeFormat, type TargetFormat } from './office-formats.ts';
import { hardenedSettings, SETTINGS_FILE } from './profile.ts';

/** What the settings of an installation say. */
export interface LibreOfficeOptions {
  /** The name or path of the program; '' for any LibreOffice that is installed. */
  readonly command: string;
  /** Virtual memory of the program. */
  readonly memoryMegabytes: number;
}

/** Conversions at a time in this process; others wait. */
const CONVERTED_AT_ONCE = 2;
/** Largest converted file. */
const RESULT_BYTES_MAX = 256 * 1024 * 1024;

const PDF = 'application/pdf';

/** Converts office documents, each in a process of its own without a network. */
export class LibreOfficeConverter implements Converter {
  readonly doc = 'Word, Excel, PowerPoint, OpenDocument and RTF files, by LibreOffice.';
  readonly formats = Object.fromEntries(
    Object.entries(officeFormats).map(([mime, { family }]) => [
      mime,
      Object.keys(targetFormats).filter((to) => targetFormats[to]?.filters[family] !== undefined),
    ]),
  );
  private readonly options: () => LibreOfficeOptions;
  private profile: ReadonlyMap<string, Buffer> | undefined;
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(options: () => LibreOfficeOptions) {
    this.options = options;
  }

  state(): ConverterState {
    const { command } = this.options();
    const program = libreOfficePath(command);
    if (program !== undefined) return { ready: true, program };
    const name = command === '' ? 'LibreOffice' : command;
    const advice = 'Install LibreOffice, or set LibreOfficeCommand to its program.';
    return { ready: false, missing: `The program ${name} is not installed. ${advice}` };
  }

  async convert(file: FileContent, to: string, { signal }: ConvertOptions): Promise<ConvertedFile> {
    const from = officeFormats[file.mime];
    const target = targetFormats[to];
    if (!from || !target) throw unreadable(file, `cannot be converted to ${to}`);
    const state = this.state();
    if (!state.ready) throw new PlatformError('CONVERTER_UNAVAILABLE', { message: state.missing });
    signal.throwIfAborted();
    while (this.running >= CONVERTED_AT_ONCE) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.running++;
    try {
      const bytes = await inScratchFolder('casewright-convert-', async (folder) => {
        const office = new OfficeFolder(folder, { ...this.options(), program: state.program ?? '', signal });
        this.profile ??= await office.newProfile();
        await office.useProfile(this.profile);
        return office.convert(file, from, target);
      });
      if (to === PDF && (await pdfPageCount(bytes)) === 0) throw unreadable(file, DAMAGED);
      return { mime: to, extension: target.extension, bytes };
    } finally {
      this.running--;
      this.waiting.shift()?.();
    }
  }
}

interface OfficeLimits {
  readonly program: string;
  readonly memoryMegabytes: number;
  readonly signal: AbortSignal;
}

/** A scratch folder with a profile of LibreOffice, in which one file is converted. */
class OfficeFolder {
  private readonly folder: ScratchFolder;
  private readonly limits: OfficeLimits;
  private readonly profile: string;

  constructor(folder: ScratchFolder, limits: OfficeLimits) {
    this.folder = folder;
    this.limits = limits;
    this.profile = join(folder.path, 'profile');
  }

  /** Returns the files of a new profile: with them LibreOffice starts in two thirds of the time. */
  async newProfile(): Promise<ReadonlyMap<string, Buffer>> {
    await this.run(['--terminate_after_init']);
    const files = new Map<string, Buffer>();
    for (const entry of await readdir(this.profile, { recursive: true, withFileTypes: true }).catch(() => [])) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) files.set(relative(this.profile, path), await readFile(path));
    }
    return files;
  }

  async useProfile(files: ReadonlyMap<string, Buffer>): Promise<void> {
    for (const [name, bytes] of [...files, [SETTINGS_FILE, Buffer.from(hardenedSettings())] as const]) {
      const path = join(this.profile, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, bytes);
    }
  }

  /** Converts a file. The exit code says nothing: it is 0 for files that cannot be read. */
  async convert(file: FileContent, from: OfficeFormat, target: TargetFormat): Promise<Buffer> {
    // The name is not the file's own, which others have chosen.
    const [source, results] = [join(this.folder.path, `document.${from.extension}`), join(this.folder.path, 'results')];
    await writeFile(source, file.open());
    await this.run([
      `--infilter=${from.filter}`,
      '--convert-to',
      target.filters[from.family] ?? '',
      '--outdir',
      results,
      source,
    ]);
    const result = join(results, `document.${target.extension}`);
    const size = await stat(result).then(
      (found) => found.size,
      () => 0,
    );
    if (size === 0) throw unreadable(file, 'cannot be opened; it is damaged, or needs a password');
    if (size > RESULT_BYTES_MAX)
      throw new PlatformError('TOO_LARGE', { message: `The converted file is larger than ${RESULT_BYTES_MAX} bytes.` });
    return readFile(result);
  }

  private async run(args: readonly string[]): Promise<void> {
    const { program, memoryMegabytes, signal } = this.limits;
    await this.folder.run({
      command: [
        ...withoutNetwork(),
        program,
        '--headless',
        '--norestore',
        '--nolockcheck',
        '--nologo',
        `-env:UserInstallation=${pathToFileURL(this.profile).href}`,
        ...args,
      ] as [string, ...string[]],
      env: { HOME: this.folder.path, TMPDIR: this.folder.path, PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8' },
      memoryMegabytes,
      signal,
    });
  }
}

let isolation: readonly string[] | undefined;

/** Returns the command that runs a program without a network; empty where the system does not allow it. */
function withoutNetwork(): readonly string[] {
  if (isolation === undefined) {
    const command = ['unshare', '--map-root-user', '--net', '--'];
    const isAllowed = spawnSync('unshare', [...command.slice(1), 'true'], { stdio: 'ignore' }).status === 0;
    isolation = isAllowed ? command : [];
  }
  return isolation;
}
