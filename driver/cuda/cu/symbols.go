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
	fnMemGetInfo
	fnMemAlloc
	fnMemFree
	fnMemHostAlloc
	fnMemFreeHost
	fnMemHostRegister
	fnMemHostUnregister
	fnMemcpyHtoDAsync
	fnMemcpyDtoHAsync
	fnMemcpyDtoDAsync
	fnMemsetD8Async
	fnMemsetD16Async
	fnMemsetD32Async
	fnMemsetD2D32Async
	fnModuleLoadDataEx
	fnModuleUnload
	fnModuleGetFunction
	fnFuncGetAttribute
	fnFuncSetAttribute
	fnOccupancy
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
	fnEventElapsedTime
	fnLaunchCooperativeKernel
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
	fnCtxSetCurrent:   {"cuCtxSetCurrent", Core},
	fnMemGetInfo:      {"cuMemGetInfo_v2", Core}, fnMemAlloc: {"cuMemAlloc_v2", Core}, fnMemFree: {"cuMemFree_v2", Core},
	fnMemHostAlloc: {"cuMemHostAlloc", Core}, fnMemFreeHost: {"cuMemFreeHost", Core},
	fnMemHostRegister: {"cuMemHostRegister_v2", Core}, fnMemHostUnregister: {"cuMemHostUnregister", Core},
	fnMemcpyHtoDAsync: {"cuMemcpyHtoDAsync_v2", Core}, fnMemcpyDtoHAsync: {"cuMemcpyDtoHAsync_v2", Core}, fnMemcpyDtoDAsync: {"cuMemcpyDtoDAsync_v2", Core},
	fnMemsetD8Async: {"cuMemsetD8Async", Core}, fnMemsetD16Async: {"cuMemsetD16Async", Core}, fnMemsetD32Async: {"cuMemsetD32Async", Core},
	fnMemsetD2D32Async: {"cuMemsetD2D32Async", Core},
	fnModuleLoadDataEx: {"cuModuleLoadDataEx", Core}, fnModuleUnload: {"cuModuleUnload", Core}, fnModuleGetFunction: {"cuModuleGetFunction", Core},
	fnFuncGetAttribute: {"cuFuncGetAttribute", Core}, fnFuncSetAttribute: {"cuFuncSetAttribute", Core},
	fnOccupancy: {"cuOccupancyMaxActiveBlocksPerMultiprocessor", Core}, fnLaunchKernel: {"cuLaunchKernel", Core},
	fnStreamCreate: {"cuStreamCreate", Core}, fnStreamDestroy: {"cuStreamDestroy_v2", Core}, fnStreamSynchronize: {"cuStreamSynchronize", Core},
	fnStreamQuery: {"cuStreamQuery", Core}, fnStreamWaitEvent: {"cuStreamWaitEvent", Core},
	fnEventCreate: {"cuEventCreate", Core}, fnEventDestroy: {"cuEventDestroy_v2", Core}, fnEventRecord: {"cuEventRecord", Core},
	fnEventQuery: {"cuEventQuery", Core}, fnEventElapsedTime: {"cuEventElapsedTime", Core},
	fnLaunchCooperativeKernel: {"cuLaunchCooperativeKernel", Coop},
}
