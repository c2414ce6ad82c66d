// What people argue about, in a sentence each, and why they do.
import type { Question } from '../../data/variants';

interface Topic {
  id: Question;
  title: string;
  question: string;
  why: string;
}

export const QUESTIONS: Topic[] = [
  {
    id: 'allocator',
    title: 'Allocator',
    question: 'Is the allocator of the system good enough for a server?',
    why: 'mimalloc is ahead of all others in its own benchmarks. jemalloc is made for servers that run for months on many cpus. A server that hardly allocates gains from neither. CPU time is half of the answer, and memory is the other half: choose it as the figure.',
  },
  {
    id: 'json',
    title: 'JSON library',
    question: 'Does the JSON library matter once a framework is around it?',
    why: 'sonic-rs and simd-json are ahead of serde_json in their own benchmarks, but a request is more than its JSON. The programs here run on any x86-64, so sonic-rs is built without AVX2. serde-json is the control: it takes bytes and answers bytes as the other two do, with the library of the default. An extractor may do more than parse, and then every library looks better without it.',
  },
  {
    id: 'runtime',
    title: 'Runtime',
    question: 'Is io_uring worth another runtime?',
    why: 'One system call takes many reads and writes to the kernel, so a request should cost less. Where the kernel or a container denies io_uring, such a server does not start. The code of ntex is the same on tokio and on its own runtime over io_uring.',
  },
  {
    id: 'cpu',
    title: 'Instructions of the cpu',
    question: 'Does a server get cheaper if it is compiled for newer cpus?',
    why: 'A program for any x86-64 leaves AVX2 and the like unused. newer-cpu is the default with the flag -C target-cpu=x86-64-v3, or neoverse-n1 on arm64, and sonic-rs-newer-cpu is sonic-rs with it, because that library is meant for more than SSE2. native, in older runs, was built for the very cpu that measured it.',
  },
  {
    id: 'set-up',
    title: 'Set-up',
    question: 'Are frameworks measured with the wrong settings?',
    why: 'That is the usual objection to a benchmark. tuned has what the documentation of the framework or its maintainers recommend, and nothing else. current-thread has one runtime for each cpu in place of one that shares its work among all.',
  },
  {
    id: 'other',
    title: 'Others',
    question: 'What else is there?',
    why: 'The runs have these variants as well.',
  },
];
