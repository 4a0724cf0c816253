"""Functions that kernels are made of: compiled into their callers, and for Python only when Python calls them.

Numba gives every function it compiles two wrappers and machine code of its own. What is inlined in a kernel needs
neither, and there are a hundred such in a kernel: without them a first call takes half the time. The price is that this
page knows Numba from inside. `Inner` is a dispatcher with a second table, of versions that are LLVM code alone; kernels
find them through `get_call_template` and `get_overload`, and nobody else does.
"""

from numba.core import compiler, sigutils, typing
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import register_pass
from numba.core.dispatcher import _FunctionCompiler
from numba.core.errors import ForceLiteralArg
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering


class Inner(CPUDispatcher):
    """A function for kernels; called from Python it is compiled as any other."""

    def __init__(self, py_func, options, without_alias=False):
        super().__init__(py_func, targetoptions={"nopython": True, "boundscheck": None} | options)
        self.without_alias = without_alias
        self._bare = {}                                         # argument types -> what kernels link
        self._compiler, self._bare_compiler = (
            made(py_func, self.targetdescr, self.targetoptions, {}, pipeline)
            for made, pipeline in ((_Compiler, compiler.Compiler), (_BareCompiler, _BarePipeline)))
        self._compiler.without_alias = self._bare_compiler.without_alias = without_alias

    def get_call_template(self, args, kws):
        """A call from a kernel: the version for these types, made now if there is none."""
        pysig, args = self.fold_argument_types(args, kws)
        name = self.py_func.__name__
        return typing.make_concrete_template(name, key=name, signatures=[self._for(args).signature]), pysig, args, {}

    def get_overload(self, sig):
        """What the code of that version is kept under"""
        return self._for(sigutils.normalize_signature(sig)[0]).entry_point

    def _for(self, args):
        args = tuple(args)
        if args not in self._bare:
            with global_compiler_lock, self._compiling_counter:
                try:
                    made = self._bare_compiler.compile(args, None)
                except ForceLiteralArg as wish:
                    raise wish.bind_fold_arguments(lambda *given: self.fold_argument_types(*given)[1]) from None
                self._bare[args] = self._bare[tuple(made.signature.args)] = made
        return self._bare[args]


class _Compiler(_FunctionCompiler):
    without_alias = False

    def _customize_flags(self, flags):
        if self.without_alias:
            flags.noalias = True
        return flags


class _BareCompiler(_Compiler):
    def _customize_flags(self, flags):
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = flags.no_compile = True
        return super()._customize_flags(flags)


class _BareLibrary(JITCodeLibrary):
    """LLVM code, linked by others, that never becomes machine code of its own."""

    def _finalize_final_module(self):
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _BareLowering(NativeLowering):
    _name = "fastdyn_bare_lowering"

    def run_pass(self, state):
        state.library = _BareLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        super().run_pass(state)
        made, key = state["cr"], object()                       # the key stands for the address it does not have
        state.targetctx.insert_user_function(key, made.fndesc, [state.library])
        state.reload_init.extend(state.library._reload_init)
        state["cr"] = made._replace(cfunc=key)
        return True


class _BarePipeline(compiler.CompilerBase):
    def define_pipelines(self):
        passes = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state, "fastdyn_bare")
        passes.passes = [(_BareLowering if one is NativeLowering else one, said) for one, said in passes.passes]
        passes._finalized = False
        passes.finalize()
        return [passes]
