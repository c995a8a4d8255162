//go:build !vyre_nocuda && ((linux && (amd64 || arm64)) || (windows && amd64))

package cu

// fn numbers a function of the driver.
type fn uint8

const (
	fnInit fn = iota
	fnDriverGetVersion
	fnDeviceGetCount
	fnDeviceGet
	fnDeviceGetName
	fnDeviceGetUuid
	fnDeviceTotalMem
	fnDeviceGetAttribute
	fnPrimaryCtxRetain
	fnPrimaryCtxRelease
	fnPrimaryCtxReset
	fnCtxSetCurrent
	fnCtxPushCurrent
	fnCtxPopCurrent
	fnMemGetInfo
	fnMemAlloc
	fnMemFree
	fnMemHostAlloc
	fnMemFreeHost
	fnMemHostGetDevicePointer
	fnMemHostRegister
	fnMemHostUnregister
	fnMemcpyHtoDAsync
	fnMemcpyDtoHAsync
	fnMemcpyDtoDAsync
	fnMemsetD8Async
	fnMemsetD16Async
	fnMemsetD32Async
	fnModuleLoadDataEx
	fnModuleUnload
	fnModuleGetFunction
	fnFuncGetAttribute
	fnFuncSetAttribute
	fnOccupancy
	fnLinkCreate
	fnLinkAddData
	fnLinkComplete
	fnLinkDestroy
	fnLaunchKernel
	fnStreamCreate
	fnStreamDestroy
	fnStreamSynchronize
	fnStreamQuery
	fnStreamWaitEvent
	fnEventCreate
	fnEventDestroy
	fnEventRecord
	fnEventQuery
	fnEventSynchronize
	fnEventElapsedTime
	fnLaunchCooperativeKernel
	fnStreamWriteValue32
	fnMemPoolCreate
	fnMemPoolDestroy
	fnMemPoolTrimTo
	fnMemPoolSetAttribute
	fnMemPoolGetAttribute
	fnMemAllocFromPoolAsync
	fnMemFreeAsync
	fnGraphCreate
	fnGraphDestroy
	fnGraphAddKernelNode
	fnGraphAddMemcpyNode
	fnGraphAddMemsetNode
	fnGraphKernelNodeSetAttribute
	fnGraphInstantiate
	fnGraphExecDestroy
	fnGraphUpload
	fnGraphLaunch
	fnGraphExecKernelNodeSetParams
	fnGraphExecMemcpyNodeSetParams
	fnGraphConditionalHandleCreate
	fnGraphAddNode
	fnFuncLoad
	fnPointerGetAttributes
	numFns
)

// symbol is an export of the driver. The suffix is part of its name: it fixes the types of
// the parameters.
type symbol struct {
	name  string
	group Group
}

var symbols = [numFns]symbol{
	fnInit: {"cuInit", Core}, fnDriverGetVersion: {"cuDriverGetVersion", Core},
	fnDeviceGetCount: {"cuDeviceGetCount", Core}, fnDeviceGet: {"cuDeviceGet", Core}, fnDeviceGetName: {"cuDeviceGetName", Core},
	fnDeviceGetUuid: {"cuDeviceGetUuid_v2", Core}, fnDeviceTotalMem: {"cuDeviceTotalMem_v2", Core}, fnDeviceGetAttribute: {"cuDeviceGetAttribute", Core},
	fnPrimaryCtxRetain: {"cuDevicePrimaryCtxRetain", Core}, fnPrimaryCtxRelease: {"cuDevicePrimaryCtxRelease_v2", Core},
	fnPrimaryCtxReset: {"cuDevicePrimaryCtxReset_v2", Core},
	fnCtxSetCurrent:   {"cuCtxSetCurrent", Core}, fnCtxPushCurrent: {"cuCtxPushCurrent_v2", Core}, fnCtxPopCurrent: {"cuCtxPopCurrent_v2", Core},
	fnMemGetInfo: {"cuMemGetInfo_v2", Core}, fnMemAlloc: {"cuMemAlloc_v2", Core}, fnMemFree: {"cuMemFree_v2", Core},
	fnMemHostAlloc: {"cuMemHostAlloc", Core}, fnMemFreeHost: {"cuMemFreeHost", Core},
	fnMemHostGetDevicePointer: {"cuMemHostGetDevicePointer_v2", Core},
	fnMemHostRegister:         {"cuMemHostRegister_v2", Core}, fnMemHostUnregister: {"cuMemHostUnregister", Core},
	fnMemcpyHtoDAsync: {"cuMemcpyHtoDAsync_v2", Core}, fnMemcpyDtoHAsync: {"cuMemcpyDtoHAsync_v2", Core}, fnMemcpyDtoDAsync: {"cuMemcpyDtoDAsync_v2", Core},
	fnMemsetD8Async: {"cuMemsetD8Async", Core}, fnMemsetD16Async: {"cuMemsetD16Async", Core}, fnMemsetD32Async: {"cuMemsetD32Async", Core},
	fnModuleLoadDataEx: {"cuModuleLoadDataEx", Core}, fnModuleUnload: {"cuModuleUnload", Core}, fnModuleGetFunction: {"cuModuleGetFunction", Core},
	fnFuncGetAttribute: {"cuFuncGetAttribute", Core}, fnFuncSetAttribute: {"cuFuncSetAttribute", Core},
	fnLinkCreate: {"cuLinkCreate_v2", Core}, fnLinkAddData: {"cuLinkAddData_v2", Core}, fnLinkComplete: {"cuLinkComplete", Core}, fnLinkDestroy: {"cuLinkDestroy", Core},
	fnOccupancy: {"cuOccupancyMaxActiveBlocksPerMultiprocessor", Core}, fnLaunchKernel: {"cuLaunchKernel", Core},
	fnStreamCreate: {"cuStreamCreate", Core}, fnStreamDestroy: {"cuStreamDestroy_v2", Core}, fnStreamSynchronize: {"cuStreamSynchronize", Core},
	fnStreamQuery: {"cuStreamQuery", Core}, fnStreamWaitEvent: {"cuStreamWaitEvent", Core},
	fnEventCreate: {"cuEventCreate", Core}, fnEventDestroy: {"cuEventDestroy_v2", Core}, fnEventRecord: {"cuEventRecord", Core},
	fnEventQuery: {"cuEventQuery", Core}, fnEventSynchronize: {"cuEventSynchronize", Core}, fnEventElapsedTime: {"cuEventElapsedTime", Core},
	fnLaunchCooperativeKernel: {"cuLaunchCooperativeKernel", Coop},
	fnStreamWriteValue32:      {"cuStreamWriteValue32_v2", MemOp},
	fnMemPoolCreate:           {"cuMemPoolCreate", Pool}, fnMemPoolDestroy: {"cuMemPoolDestroy", Pool}, fnMemPoolTrimTo: {"cuMemPoolTrimTo", Pool},
	fnMemPoolSetAttribute: {"cuMemPoolSetAttribute", Pool}, fnMemPoolGetAttribute: {"cuMemPoolGetAttribute", Pool},
	fnMemAllocFromPoolAsync: {"cuMemAllocFromPoolAsync", Pool}, fnMemFreeAsync: {"cuMemFreeAsync", Pool},
	fnGraphCreate: {"cuGraphCreate", Graphing}, fnGraphDestroy: {"cuGraphDestroy", Graphing},
	fnGraphAddKernelNode: {"cuGraphAddKernelNode_v2", Graphing}, fnGraphAddMemcpyNode: {"cuGraphAddMemcpyNode", Graphing},
	fnGraphAddMemsetNode: {"cuGraphAddMemsetNode", Graphing}, fnGraphKernelNodeSetAttribute: {"cuGraphKernelNodeSetAttribute", Graphing},
	fnGraphInstantiate: {"cuGraphInstantiateWithFlags", Graphing}, fnGraphExecDestroy: {"cuGraphExecDestroy", Graphing},
	fnGraphUpload: {"cuGraphUpload", Graphing}, fnGraphLaunch: {"cuGraphLaunch", Graphing},
	fnGraphExecKernelNodeSetParams: {"cuGraphExecKernelNodeSetParams_v2", Graphing}, fnGraphExecMemcpyNodeSetParams: {"cuGraphExecMemcpyNodeSetParams", Graphing},
	fnGraphConditionalHandleCreate: {"cuGraphConditionalHandleCreate", Cond}, fnGraphAddNode: {"cuGraphAddNode", Cond},
	fnFuncLoad:             {"cuFuncLoad", Loading},
	fnPointerGetAttributes: {"cuPointerGetAttributes", Pointer},
}
