/**
 * Imports run one way: `kernel ← contracts ← lib ← modules | providers`; `surfaces → kernel, contracts, lib`;
 * `app → all`.
 *
 * Of another area, an area imports only record types and `public/`; otherwise it calls
 * `ctx.call('module/operation', …)`, so that each can be read, tested and removed alone. Surfaces share
 * `surfaces/shared` and nothing else, and the providers of different contracts share nothing.
 *
 * What decides about access inside the kernel is not for others to change: see KERNEL_ONLY.
 */
import { importsOf, resolveImport, sourcesUnder } from './source.ts';
import type { FileMap, Problem } from './tree.ts';

const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  kernel: ['kernel'],
  contracts: ['kernel', 'contracts'],
  lib: ['kernel', 'contracts', 'lib'],
  modules: ['kernel', 'contracts', 'lib', 'modules'],
  providers: ['kernel', 'contracts', 'lib', 'providers'],
  surfaces: ['kernel', 'contracts', 'lib', 'surfaces'],
  app: ['kernel', 'contracts', 'lib', 'modules', 'providers', 'surfaces', 'app'],
};

/** Layers whose folders must not import one another, and what to do instead. */
const SEPARATE: Readonly<Record<string, string>> = {
  modules: "ctx.call('module/operation', …), or a function in the other area's public/",
  providers: 'a provider that knows only its own contract',
  surfaces: 'surfaces joined in src/app',
};

/** Files of the kernel that nothing else imports, and what to do instead. */
const KERNEL_ONLY: Readonly<Record<string, string>> = {
  'src/kernel/door/reach-cache.ts': 'assertReachable(…), which reads the records; code cannot grant reach',
};

/** Checks each import of each file under `src` against the layers. */
export function checkImports(files: FileMap): Problem[] {
  const problems: Problem[] = [];
  const publicFiles = new Set([...files.keys()].filter(isPublic));
  for (const { path, source } of sourcesUnder(files, 'src/')) {
    for (const each of importsOf(source)) {
      const target = resolveImport(path, each.specifier);
      if (target !== undefined && areaOf(path) !== areaOf(target)) publicFiles.delete(target);
      const wrong = target === undefined ? undefined : judge(path, target);
      if (wrong !== undefined) problems.push({ file: path, line: each.line, ...wrong });
    }
  }
  for (const file of publicFiles) {
    problems.push({ file, line: 1, what: 'no other area imports this file', expected: 'the lib/ of its area' });
  }
  return problems;
}

/** Whether a file has functions of an area that other areas may import. */
export function isPublic(path: string): boolean {
  const [, layer, , folder] = path.split('/');
  return layer === 'modules' && folder === 'public';
}

/** The area of a file, or the layer of a file outside the areas. */
function areaOf(path: string): string {
  const [, layer = '', area = ''] = path.split('/');
  return layer === 'modules' ? area : layer;
}

type Verdict = Omit<Problem, 'file' | 'line'> | undefined;

/** What is wrong with an import, undefined when nothing is. */
function judge(from: string, target: string): Verdict {
  const [, layer = ''] = from.split('/');
  const [top, targetLayer = ''] = target.split('/');
  if (top !== 'src') return judgeOutside(layer, target);
  const allowed = MAY_IMPORT[layer];
  // A file in no layer is reported by the check of places.
  if (allowed === undefined) return undefined;
  if (!allowed.includes(targetLayer))
    return { what: `${layer} imports ${targetLayer} (${target})`, expected: `imports of ${allowed.join(', ')} only` };
  const instead = layer === 'kernel' ? undefined : KERNEL_ONLY[target];
  if (instead !== undefined) return { what: `${layer} imports ${target}, which is for the kernel`, expected: instead };
  return layer === targetLayer ? judgeNeighbor(layer, from, target) : undefined;
}

/** Only the composition may use files outside src: the migrations and the demo's samples. */
function judgeOutside(layer: string, target: string): Verdict {
  const isData = /^(?:db|samples)\//.test(target);
  if (target === 'package.json' || (layer === 'app' && isData)) return undefined;
  return { what: `the product imports ${target}`, expected: 'nothing from outside src' };
}

function judgeNeighbor(layer: string, from: string, target: string): Verdict {
  const expected = SEPARATE[layer];
  const folder = from.split('/')[2] ?? '';
  const neighbor = target.split('/')[2] ?? '';
  // What a record type's columns are is a fact about data: another area's code is typed by it, and does not run it.
  const isDeclaration = layer === 'modules' && target.endsWith('.record.ts');
  const isShared = layer === 'surfaces' && neighbor === 'shared';
  if (expected === undefined || folder === neighbor || isDeclaration || isPublic(target) || isShared) return undefined;
  return { what: `${layer}/${folder} imports ${layer}/${neighbor}`, expected };
}
