/** The command line: `casewright serve` is the server, everything else talks to a running one. */
import { runCommand } from '../surfaces/cli/cli.ts';
import { serveStdio } from '../surfaces/mcp/stdio.ts';
import { VERSION } from './version.ts';

const [name, ...rest] = process.argv.slice(2);
if (name === 'serve') {
  const { serve } = await import('./serve.ts');
  serve(rest);
} else {
  // The reader of the output may close it early; that is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  const out = (data: string | Uint8Array): Promise<void> =>
    new Promise((resolve) => void process.stdout.write(data, () => resolve()));
  process.exitCode = await runCommand(process.argv.slice(2), {
    environment: process.env,
    version: VERSION,
    input: process.stdin,
    out,
    serveAgent: (send) => serveStdio({ input: process.stdin, out, send }),
    error: (text) => void process.stderr.write(text),
  });
}
